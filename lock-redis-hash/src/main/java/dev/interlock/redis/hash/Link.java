package dev.interlock.redis.hash;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection for commands, which many threads share; in a cluster, one to each node, chosen by
 * the key. Thread-safe.
 */
final class Link {
  /** In place of an address where there is one server, wherever it is. */
  private static final String ONLY = "redis";

  private final StatefulConnection<byte[], byte[]> connection;
  private final RedisClusterCommands<byte[], byte[]> sync;
  private final @Nullable StatefulRedisConnection<byte[], byte[]> server;
  private final @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster;

  private Link(
      StatefulConnection<byte[], byte[]> connection,
      RedisClusterCommands<byte[], byte[]> sync,
      @Nullable StatefulRedisConnection<byte[], byte[]> server,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    this.connection = connection;
    this.sync = sync;
    this.server = server;
    this.cluster = cluster;
  }

  static Link to(StatefulRedisConnection<byte[], byte[]> server) {
    return new Link(server, server.sync(), server, null);
  }

  static Link to(StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    return new Link(cluster, cluster.sync(), null, cluster);
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  void dispatch(RedisCommand<byte[], byte[], ?> command) {
    connection.dispatch(command);
  }

  /** For the few commands that are not scripts, when a client is opened. */
  RedisClusterCommands<byte[], byte[]> sync() {
    return sync;
  }

  /**
   * Waits for the connection to the node that has a key: a command is refused while it is being
   * opened. Answers false if there is nothing to wait for.
   */
  boolean awaitNode(byte[] key, Duration limit) {
    return cluster != null && node(key, limit) != null;
  }

  /**
   * Waits for the connection to the node that has a key. What is sent over it goes to that node and
   * is not referred to another. Answers null if it is not open in time.
   */
  @Nullable
  StatefulRedisConnection<byte[], byte[]> node(byte[] key, Duration limit) {
    return cluster == null
        ? ifOpen(server)
        : to(cluster, cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key)), limit);
  }

  /** Names the servers that have locks; those of a cluster by their addresses, as known now. */
  SortedSet<String> masters() {
    return cluster == null
        ? new TreeSet<>(Set.of(ONLY))
        : masters(cluster).map(Link::address).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The connection to one of {@link #masters}; null if it is none any more, or not open in time.
   */
  @Nullable
  StatefulRedisConnection<byte[], byte[]> master(String address, Duration limit) {
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
    boolean interrupted = Thread.interrupted();
    try {
      return ifOpen(cluster
          .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
          .get(limit.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      interrupted = true;
      return null;
    } catch (ExecutionException | TimeoutException e) {
      return null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
