package dev.interlock.redis.hash;

import dev.interlock.HostPort;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Listens on every master of a cluster. A script asks its own node who listens there before it
 * grants a lock, and it runs on any master, so there has to be a listener on each. The nodes pass
 * messages on to one another, so one comes once from each master; repeated ones do no harm.
 */
final class ClusterListeners implements Listeners {
  private static final Logger LOG = System.getLogger(ClusterListeners.class.getName());

  private final RedisClusterClient cluster;
  private final RedisClient redis;
  private final ClientSetup setup;
  private final ConcurrentHashMap<HostPort, StatefulRedisPubSubConnection<byte[], byte[]>> open =
      new ConcurrentHashMap<>();
  private final Set<HostPort> opening = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Mailbox mailbox;

  ClusterListeners(RedisClusterClient cluster, RedisClient redis, ClientSetup setup) {
    this.cluster = cluster;
    this.redis = redis;
    this.setup = setup;
  }

  @Override
  public void attach(Mailbox attached) {
    mailbox = attached;
    cluster
        .getResources()
        .eventBus()
        .get()
        .ofType(ClusterTopologyChangedEvent.class)
        .subscribe(changed -> check());
    check();
  }

  @Override
  public void check() {
    Set<HostPort> masters = cluster.getPartitions().stream()
        .filter(node ->
            node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty())
        .map(node -> HostPort.of(node.getUri().getHost(), node.getUri().getPort()))
        .collect(Collectors.toSet());
    masters.stream().filter(master -> !open.containsKey(master)).forEach(this::open);
    open.keySet().stream().filter(node -> !masters.contains(node)).forEach(this::leave);
  }

  private void open(HostPort master) {
    if (!opening.add(master)) {
      return;
    }
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> connecting =
        redis.connectPubSubAsync(ByteArrayCodec.INSTANCE, setup.uri(master));
    connecting.whenComplete((connection, failure) -> {
      if (failure == null) {
        open.put(master, connection);
        tell(connection, true);
      } else {
        LOG.log(Level.DEBUG, "not listening on " + master, failure);
      }
      opening.remove(master);
    });
  }

  private void leave(HostPort node) {
    StatefulRedisPubSubConnection<byte[], byte[]> connection = open.remove(node);
    if (connection != null) {
      tell(connection, false);
      Opened.closeSoon(connection);
    }
  }

  private void tell(StatefulRedisPubSubConnection<byte[], byte[]> connection, boolean isOpen) {
    Mailbox known = mailbox;
    if (known != null && isOpen) {
      known.opened(connection);
    } else if (known != null) {
      known.closed(connection);
    }
  }
}
