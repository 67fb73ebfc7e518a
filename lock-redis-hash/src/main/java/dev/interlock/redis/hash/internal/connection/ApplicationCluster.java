package dev.interlock.redis.hash.internal.connection;

import dev.interlock.redis.hash.internal.push.ClusterListeners;
import dev.interlock.redis.hash.internal.push.Listeners;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/**
 * Connections of a cluster client that the application owns and may use for other things as well.
 * Only that client knows its user and password, so it opens those to listen on, too.
 */
final class ApplicationCluster implements Connections {
  private final RedisClusterClient cluster;
  private final SlotMap slots;
  private final OpenConnections opened = new OpenConnections();

  ApplicationCluster(RedisClusterClient cluster) {
    this.cluster = cluster;
    this.slots = new SlotMap(cluster);
  }

  @Override
  public SharedConnection open() {
    return SharedConnection.to(
        opened.open(address(), () -> cluster.connect(ByteArrayCodec.INSTANCE)));
  }

  @Override
  public Listeners openListeners() {
    return new ClusterListeners(
        cluster,
        new ListeningNodes(
            opened.open(address(), () -> cluster.connectPubSub(ByteArrayCodec.INSTANCE))));
  }

  @Override
  public void lookAgain() {
    slots.lookAgain(); // its own settings may let it look never
  }

  @Override
  public boolean isCluster() {
    return true;
  }

  @Override
  public String address() {
    return "the application's cluster client";
  }

  /** Closes the connections; the client belongs to the application. */
  @Override
  public void close() {
    opened.close();
  }

  /** Those of one cluster connection, which keeps them until it is closed or the node is gone. */
  private record ListeningNodes(StatefulRedisClusterPubSubConnection<byte[], byte[]> all)
      implements ClusterListeners.Nodes {
    @Override
    public CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(
        RedisClusterNode node) {
      return all.getConnectionAsync(node.getNodeId());
    }

    @Override
    public void leave(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      // Closed, it would be given out all the same when the node becomes a master again.
    }
  }
}
