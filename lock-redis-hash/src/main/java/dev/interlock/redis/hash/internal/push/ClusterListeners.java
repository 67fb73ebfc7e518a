package dev.interlock.redis.hash.internal.push;

import dev.interlock.HostPort;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Listens on every master of a cluster. A script asks its own node who listens there before it
 * grants a lock, and it runs on any master, so there has to be a listener on each. The nodes pass
 * messages on to one another, so one comes once from each master; repeated ones do no harm.
 *
 * <p>A node that was reset has another id at the same address. The cluster client closes the
 * connection that it has opened for the old id, so a master is known by both.
 */
public final class ClusterListeners implements Listeners {
  private static final Logger LOG = System.getLogger(ClusterListeners.class.getName());

  private final RedisClusterClient cluster;
  private final Nodes nodes;
  private final ConcurrentHashMap<Master, StatefulRedisPubSubConnection<byte[], byte[]>> open =
      new ConcurrentHashMap<>();
  private final Set<Master> opening = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Mailbox mailbox;
  private volatile Runnable stop = () -> {};
  private volatile boolean closed;

  private record Master(HostPort address, String id) {
    static Master of(RedisClusterNode node) {
      return new Master(
          HostPort.of(node.getUri().getHost(), node.getUri().getPort()), node.getNodeId());
    }
  }

  /** The connections to single nodes. Blocks nowhere. */
  public interface Nodes {
    /** Connects to a node to listen there. */
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(RedisClusterNode node);

    /** Called when nobody listens to it any more. */
    void leave(StatefulRedisPubSubConnection<byte[], byte[]> connection);
  }

  public ClusterListeners(RedisClusterClient cluster, Nodes nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  @Override
  public void attach(Mailbox attached) {
    mailbox = attached;
    // The event bus may be the application's, and live on.
    stop = cluster
        .getResources()
        .eventBus()
        .get()
        .ofType(ClusterTopologyChangedEvent.class)
        .subscribe(changed -> check())::dispose;
    check();
  }

  @Override
  public void check() {
    if (closed) {
      return;
    }
    Map<Master, RedisClusterNode> masters = cluster.getPartitions().stream()
        .filter(node ->
            node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty())
        .collect(Collectors.toMap(Master::of, node -> node, (one, same) -> one));
    masters.forEach(this::open);
    open.keySet().stream().filter(master -> !masters.containsKey(master)).forEach(this::leave);
  }

  private void open(Master master, RedisClusterNode node) {
    if (open.containsKey(master) || !opening.add(master)) {
      return;
    }
    if (open.containsKey(master)) {
      opening.remove(master); // another thread has opened it since the first look
      return;
    }
    listenTo(node).whenComplete((connection, failure) -> {
      if (failure == null) {
        open.put(master, connection);
        tell(connection, true);
      } else {
        LOG.log(Level.DEBUG, "not listening on " + master.address(), failure);
      }
      opening.remove(master);
      if (closed) {
        leave(master);
      }
    });
  }

  /** Lettuce throws if a connection does not know of the node yet that its client knows. */
  private CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(
      RedisClusterNode node) {
    try {
      return nodes.listenTo(node);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    stop.run();
  }

  private void leave(Master master) {
    StatefulRedisPubSubConnection<byte[], byte[]> connection = open.remove(master);
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
