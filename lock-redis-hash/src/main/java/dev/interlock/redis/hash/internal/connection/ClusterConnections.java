package dev.interlock.redis.hash.internal.connection;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.hash.internal.push.ClusterListeners;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A Lettuce cluster client of our own. It learns where the slots are when it is opened, when a node
 * refers it to another one, when a node is gone or silent, and every now and then, because a master
 * that was cut off from the others refers to nobody.
 */
final class ClusterConnections implements Connections {
  private static final Duration LOOK = Duration.ofSeconds(15);

  private final String address;
  private final Resources resources;
  private final RedisClusterClient cluster;
  private final RedisClient listening;
  private final ClientSetup setup;
  private final OpenConnections opened = new OpenConnections();
  private final SlotMap slots;

  ClusterConnections(LockConfig config, ClientId client) {
    this.setup = new ClientSetup(config, client);
    this.address = RedisOptions.address(config);
    this.resources = new Resources(config.get(RedisOptions.TIMEOUT));
    this.cluster = resources.closing(RedisClusterClient.create(
        resources.lettuce(),
        RedisOptions.servers(config).stream().map(setup::uri).toList()));
    this.slots = new SlotMap(cluster);
    this.cluster.setOptions(setup
        .options(ClusterClientOptions.builder())
        .topologyRefreshOptions(refresh())
        .validateClusterNodeMembership(false) // a new node is known by its slots first
        .build());
    this.listening = resources.closing(RedisClient.create(resources.lettuce()));
    this.listening.setOptions(setup.options(ClientOptions.builder()).build());
  }

  /** When the client looks again which node has which slots. */
  @SuppressWarnings("deprecation") // by Lettuce 7, which looks after a MOVED by itself
  private static ClusterTopologyRefreshOptions refresh() {
    return ClusterTopologyRefreshOptions.builder()
        .enableAdaptiveRefreshTrigger(RefreshTrigger.MOVED_REDIRECT)
        .adaptiveRefreshTriggersTimeout(SlotMap.BETWEEN_LOOKS)
        .enablePeriodicRefresh(LOOK)
        .build();
  }

  @Override
  public SharedConnection open() {
    try {
      return SharedConnection.to(
          opened.open(address, () -> cluster.connect(ByteArrayCodec.INSTANCE)));
    } catch (BackendUnavailableException e) {
      if (String.valueOf(e.getMessage()).contains("cluster support disabled")) {
        throw new LockConfigurationException(
            "Redis at " + address + " is not a cluster: leave out topology=cluster", e);
      }
      throw e;
    }
  }

  @Override
  public Listeners openListeners() {
    return new ClusterListeners(cluster, new ListeningNodes());
  }

  @Override
  public void lookAgain() {
    slots.lookAgain();
  }

  @Override
  public boolean isCluster() {
    return true;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void close() {
    cluster.suspendTopologyRefresh();
    resources.close();
  }

  private final class ListeningNodes implements ClusterListeners.Nodes {
    @Override
    public CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(
        RedisClusterNode node) {
      HostPort address = HostPort.of(node.getUri().getHost(), node.getUri().getPort());
      return listening.connectPubSubAsync(ByteArrayCodec.INSTANCE, setup.uri(address));
    }

    @Override
    public void leave(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      OpenConnections.closeSoon(connection);
    }
  }
}
