package dev.interlock.redis.hash;

import dev.interlock.HostPort;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
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
  private final Nodes nodes;
  private final ConcurrentHashMap<HostPort, StatefulRedisPubSubConnection<byte[], byte[]>> open =
      new ConcurrentHashMap<>();
  private final Set<HostPort> opening = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Mailbox mailbox;

  /** The connections to single nodes. Blocks nowhere. */
  interface Nodes {
    /** Connects to a node to listen there. */
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(RedisClusterNode node);

    /** Called when nobody listens to it any more. */
    void leave(StatefulRedisPubSubConnection<byte[], byte[]> connection);
  }

  ClusterListeners(RedisClusterClient cluster, Nodes nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
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
    Map<HostPort, RedisClusterNode> masters = cluster.getPartitions().stream()
        .filter(node ->
            node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty())
        .collect(Collectors.toMap(ClusterListeners::address, node -> node, (one, same) -> one));
    masters.forEach((address, master) -> {
      if (!open.containsKey(address)) {
        open(address, master);
      }
    });
    open.keySet().stream().filter(node -> !masters.containsKey(node)).forEach(this::leave);
  }

  private static HostPort address(RedisClusterNode node) {
    return HostPort.of(node.getUri().getHost(), node.getUri().getPort());
  }

  private void open(HostPort address, RedisClusterNode master) {
    if (!opening.add(address)) {
      return;
    }
    nodes.listenTo(master).whenComplete((connection, failure) -> {
      if (failure == null) {
        open.put(address, connection);
        tell(connection, true);
      } else {
        LOG.log(Level.DEBUG, "not listening on " + address, failure);
      }
      opening.remove(address);
    });
  }

  private void leave(HostPort node) {
    StatefulRedisPubSubConnection<byte[], byte[]> connection = open.remove(node);
    if (connection != null) {
      tell(connection, false);
      nodes.leave(connection);
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
