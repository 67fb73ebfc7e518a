package dev.interlock.redis.hash.internal.connection;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.spi.Uninterruptibly;
import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.protocol.RedisCommand;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection for commands, which many threads share; in a cluster, one to each node, chosen by
 * the key. Thread-safe.
 */
public final class SharedConnection {
  private static final Logger LOG = System.getLogger(SharedConnection.class.getName());

  /** In place of an address where there is one server, wherever it is. */
  private static final String ONLY = "redis";

  private static final long PAUSE_NANOS = 10_000_000;

  private final StatefulConnection<byte[], byte[]> connection;
  private final RedisClusterCommands<byte[], byte[]> sync;
  private final @Nullable StatefulRedisConnection<byte[], byte[]> server;
  private final @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster;

  private SharedConnection(
      StatefulConnection<byte[], byte[]> connection,
      RedisClusterCommands<byte[], byte[]> sync,
      @Nullable StatefulRedisConnection<byte[], byte[]> server,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    this.connection = connection;
    this.sync = sync;
    this.server = server;
    this.cluster = cluster;
  }

  static SharedConnection to(StatefulRedisConnection<byte[], byte[]> server) {
    return new SharedConnection(server, server.sync(), server, null);
  }

  static SharedConnection to(StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    return new SharedConnection(cluster, cluster.sync(), null, cluster);
  }

  /**
   * Asks a question over a new connection, and again, until the time is over that connecting may
   * take, unless a server refuses. Lettuce connects to a node of a cluster when a command first
   * goes there, and refuses commands meanwhile. It also refuses them for a moment after it has
   * logged in with a password, and any connection may break when it is new.
   */
  public static <T> T untilConnected(Duration patience, Supplier<T> question) {
    long start = System.nanoTime();
    while (true) {
      try {
        return question.get();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        boolean refused = e.getCause() instanceof RedisCommandExecutionException;
        boolean over = System.nanoTime() - start >= patience.toNanos();
        if (refused || over || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Says whether it is of use to send something now. In a cluster that shows for each node when it
   * is sent: the connection that Lettuce tells of is one to any node, over which no lock goes.
   */
  public boolean isOpen() {
    return cluster != null || connection.isOpen();
  }

  public void dispatch(RedisCommand<byte[], byte[], ?> command) {
    connection.dispatch(inStep(command));
  }

  /** The same command, after whose failure no answer goes to a wrong one. */
  public <T> RedisCommand<byte[], byte[], T> inStep(RedisCommand<byte[], byte[], T> command) {
    return new CommandInStep<>(command, this::disconnect);
  }

  /** Closes the connections that commands go over; Lettuce opens them again. */
  private void disconnect() {
    if (cluster == null) {
      disconnect(connection);
      return;
    }
    for (RedisClusterNode node : cluster.getPartitions()) {
      if (node.getRole().isUpstream()) {
        disconnect(cluster, node);
      }
    }
  }

  private static void disconnect(
      StatefulRedisClusterConnection<byte[], byte[]> cluster, RedisClusterNode node) {
    try {
      var unused = cluster
          .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
          .thenAccept(SharedConnection::disconnect);
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a node is not of the cluster any more", e);
    }
  }

  private static void disconnect(StatefulConnection<byte[], byte[]> open) {
    RedisChannelWriter writer =
        open instanceof RedisChannelHandler<?, ?> handler ? handler.getChannelWriter() : null;
    while (writer != null && !(writer instanceof DefaultEndpoint)) {
      writer = inner(writer);
    }
    if (writer instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    }
  }

  /** Where an application's client has Lettuce count the time, or tell of each command. */
  private static @Nullable RedisChannelWriter inner(RedisChannelWriter writer) {
    if (writer instanceof CommandExpiryWriter expiring) {
      return expiring.getDelegate();
    }
    return writer instanceof CommandListenerWriter telling ? telling.getDelegate() : null;
  }

  /** For the few commands that are not scripts, when a client is opened. */
  public RedisClusterCommands<byte[], byte[]> sync() {
    return sync;
  }

  /**
   * Waits for the connection to the node that has a key: a command is refused while it is being
   * opened. Answers false if there is nothing to wait for.
   */
  public boolean awaitNode(byte[] key, Duration limit) {
    return cluster != null && node(key, limit) != null;
  }

  /**
   * Waits for the connection to the node that has a key. What is sent over it goes to that node and
   * is not referred to another. Answers null if it is not open in time.
   */
  public @Nullable StatefulRedisConnection<byte[], byte[]> node(byte[] key, Duration limit) {
    return cluster == null ? ifOpen(server) : to(cluster, nodeOf(cluster, key), limit);
  }

  /**
   * Finds keys whose server can be reached. Each node of a cluster is tried once: one that is gone
   * costs its own locks only.
   *
   * @param limit how long to wait for each node
   * @return the first of them; the very first if there are none
   */
  public LockKeys firstReachable(List<LockKeys> keys, Duration limit) {
    if (cluster != null) {
      Set<String> tried = new HashSet<>();
      for (LockKeys some : keys) {
        RedisClusterNode node = nodeOf(cluster, some.lock());
        if (node != null && tried.add(address(node)) && to(cluster, node, limit) != null) {
          return some;
        }
      }
    }
    return keys.get(0);
  }

  private static @Nullable RedisClusterNode nodeOf(
      StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key) {
    return cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
  }

  /** Names the servers that have locks; those of a cluster by their addresses, as known now. */
  public SortedSet<String> masters() {
    return cluster == null
        ? new TreeSet<>(Set.of(ONLY))
        : masters(cluster)
            .map(SharedConnection::address)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The connection to one of {@link #masters}; null if it is none any more, or not open in time.
   */
  public @Nullable StatefulRedisConnection<byte[], byte[]> master(String address, Duration limit) {
    return cluster == null
        ? ifOpen(server)
        : to(
            cluster,
            masters(cluster)
                .filter(node -> address(node).equals(address))
                .findFirst()
                .orElse(null),
            limit);
  }

  private static Stream<RedisClusterNode> masters(
      StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    return cluster.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots());
  }

  private static String address(RedisClusterNode node) {
    return node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  private static @Nullable StatefulRedisConnection<byte[], byte[]> ifOpen(
      @Nullable StatefulRedisConnection<byte[], byte[]> found) {
    return found != null && found.isOpen() ? found : null;
  }

  private static @Nullable StatefulRedisConnection<byte[], byte[]> to(
      StatefulRedisClusterConnection<byte[], byte[]> cluster,
      @Nullable RedisClusterNode node,
      Duration limit) {
    if (node == null) {
      return null;
    }
    try {
      return ifOpen(Uninterruptibly.get(
          cluster.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort()),
          limit.toNanos()));
    } catch (ExecutionException | TimeoutException e) {
      return null;
    } catch (RuntimeException e) { // so Lettuce says that it was closed, or does not know the node
      LOG.log(Level.DEBUG, "no connection to a node", e);
      return null;
    }
  }
}
