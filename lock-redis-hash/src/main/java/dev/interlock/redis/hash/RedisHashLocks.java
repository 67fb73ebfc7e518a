package dev.interlock.redis.hash;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.backend.HashBackend;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.support.ApplicationProvider;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.function.Supplier;

/**
 * Locks over a Lettuce client that the application owns. Stateless; the clients are thread-safe.
 *
 * <p>Three connections are opened through it: one for attempts, one for releases and renewals, one
 * to listen. Closing the lock client closes these three and never the {@code RedisClient}. Its
 * options apply, so commands may be sent again after a reconnect; that does no harm, since each
 * counts once. A release, or a forced release, that finds no hold then may have ended it the first
 * time: {@link dev.interlock.OutcomeUnknownException}.
 *
 * <p>A client that {@link dev.interlock.Locks} opens gives up a connection on which no answer came
 * in time. Over a client of the application that is left to its settings: without any, a connection
 * whose other end has gone without a word is used until the operating system gives up, which can
 * take a quarter of an hour, and every call over it fails. Set {@code keepAlive} and, with a native
 * transport (epoll, io_uring), {@code tcpUserTimeout} in the {@code SocketOptions}, or lower
 * {@code net.ipv4.tcp_retries2} of the machine.
 */
public final class RedisHashLocks {
  private RedisHashLocks() {}

  /**
   * Opens a client with the default settings.
   *
   * @param redis stays open and belongs to the application; made with a URI
   * @return an open client
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(RedisClient redis) {
    return using(redis, LockConfig.builder(RedisHashProvider.ID).build());
  }

  /**
   * Opens a client.
   *
   * @param redis stays open and belongs to the application; made with a URI
   * @param config of provider "redis-hash"; may set {@link dev.interlock.CommonOptions},
   *     {@link RedisHashOptions#TIMEOUT}, {@link RedisHashOptions#REPLICAS} and
   *     {@link RedisHashOptions#REPLICA_TIMEOUT}; everything else is settled by the client
   * @return an open client
   * @throws dev.interlock.LockConfigurationException if the settings are wrong
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(RedisClient redis, LockConfig config) {
    return open(() -> Connections.of(redis), config);
  }

  /**
   * Opens a client for a cluster with the default settings.
   *
   * @param cluster as for {@link #using(RedisClusterClient, LockConfig)}
   * @return an open client
   * @throws dev.interlock.BackendUnavailableException if the servers cannot be reached or refuse
   */
  public static LockClient using(RedisClusterClient cluster) {
    return using(cluster, LockConfig.builder(RedisHashProvider.ID).build());
  }

  /**
   * Opens a client for a cluster. Through the application's client two connections for commands are
   * opened to the cluster, and one to listen on, which has another to each master.
   *
   * <p>A command that is not answered has the application's client look where the slots are now.
   * Switch its adaptive and periodic refreshes of the topology on as well: only these find a master
   * that was cut off from the others and answers still.
   *
   * @param cluster stays open and belongs to the application
   * @param config as for {@link #using(RedisClient, LockConfig)}
   * @return an open client
   * @throws dev.interlock.LockConfigurationException if the settings are wrong
   * @throws dev.interlock.BackendUnavailableException if the servers cannot be reached or refuse
   */
  public static LockClient using(RedisClusterClient cluster, LockConfig config) {
    return open(() -> Connections.of(cluster), config);
  }

  private static LockClient open(Supplier<Connections> connections, LockConfig config) {
    RedisHashProvider provider = new RedisHashProvider();
    return new ApplicationProvider(
            provider,
            provider::conflicts,
            (settings, client) -> HashBackend.open(settings, client, connections.get()))
        .open(config);
  }
}
