package dev.interlock.redis.setnx;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.jedis.JedisBackends;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/**
 * Locks over a Jedis pool that the application owns. Stateless; the clients are thread-safe.
 *
 * <p>The pool must have at least two connections for this client to use at a time; one of them is
 * kept for releases and renewals. With replicas, it takes three. Commands wait for a connection no
 * longer than {@link RedisSetnxOptions#TIMEOUT}, and for an answer as long as the pool's socket
 * timeout says, which must not be endless. One more connection is made by the pool's factory,
 * outside the pool, and listens for wake-ups. Closing the client closes that connection and never
 * the pool.
 */
public final class RedisSetnxLocks {
  private RedisSetnxLocks() {}

  /**
   * Opens a client with the default settings.
   *
   * @param pool such as {@code redis.getPool()} of a {@code RedisClient} or a {@code JedisPooled};
   *     stays open and belongs to the application
   * @return an open client
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(Pool<Connection> pool) {
    return using(pool, defaults());
  }

  /**
   * Opens a client.
   *
   * @param pool such as {@code redis.getPool()} of a {@code RedisClient} or a {@code JedisPooled};
   *     stays open and belongs to the application
   * @param config of provider "redis-setnx"; may set {@link dev.interlock.CommonOptions},
   *     {@link RedisSetnxOptions#TIMEOUT}, {@link RedisSetnxOptions#REPLICAS} and
   *     {@link RedisSetnxOptions#REPLICA_TIMEOUT}; everything else is settled by the pool
   * @return an open client
   * @throws dev.interlock.LockConfigurationException if the settings are wrong
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(Pool<Connection> pool, LockConfig config) {
    return JedisBackends.open(new RedisSetnxProvider(), SetnxBackend::new, pool, config);
  }

  private static LockConfig defaults() {
    return LockConfig.builder(RedisSetnxProvider.ID).build();
  }
}
