package dev.interlock.redis.hash;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection for commands, which many threads share; in a cluster, one to each node, chosen by
 * the key. Thread-safe.
 */
final class Link {
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
    StatefulRedisConnection<byte[], byte[]> found =
        cluster == null ? server : nodeOf(cluster, key, limit);
    return found != null && found.isOpen() ? found : null;
  }

  private static @Nullable StatefulRedisConnection<byte[], byte[]> nodeOf(
      StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key, Duration limit) {
    RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
    if (node == null) {
      return null;
    }
    boolean interrupted = Thread.interrupted();
    try {
      return cluster
          .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
          .get(limit.toNanos(), TimeUnit.NANOSECONDS);
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
