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
  private final @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster;

  private Link(
      StatefulConnection<byte[], byte[]> connection,
      RedisClusterCommands<byte[], byte[]> sync,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    this.connection = connection;
    this.sync = sync;
    this.cluster = cluster;
  }

  static Link to(StatefulRedisConnection<byte[], byte[]> server) {
    return new Link(server, server.sync(), null);
  }

  static Link to(StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    return new Link(cluster, cluster.sync(), cluster);
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
    if (cluster == null) {
      return false;
    }
    RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
    if (node == null) {
      return false;
    }
    boolean interrupted = Thread.interrupted();
    try {
      return cluster
          .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
          .get(limit.toNanos(), TimeUnit.NANOSECONDS)
          .isOpen();
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
