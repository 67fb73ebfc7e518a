package dev.interlock.measure.server;

import java.time.Duration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;

/** Opens connection pools to Redis or Valkey. */
public final class RedisPool {
  private RedisPool() {}

  /**
   * Opens a pool of Jedis with its default settings.
   *
   * @param connections the pool's size
   */
  public static RedisClient open(ServerAddress server, int connections) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(connections);
    pool.setMaxIdle(connections);
    return open(server, pool);
  }

  /**
   * Opens a pool that waits longer for answers.
   *
   * @param connections the pool's size
   * @param patience for how long the server may not answer
   */
  public static RedisClient open(ServerAddress server, int connections, Duration patience) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(connections);
    pool.setMaxIdle(connections);
    return RedisClient.builder()
        .hostAndPort(server.host(), server.port())
        .clientConfig(settings(server, patience))
        .poolConfig(pool)
        .build();
  }

  static RedisClient open(ServerAddress server, ConnectionPoolConfig pool) {
    return RedisClient.builder()
        .hostAndPort(server.host(), server.port())
        .clientConfig(settings(server).build())
        .poolConfig(pool)
        .build();
  }

  /**
   * Returns database, credentials and patience, for a connection without a pool.
   *
   * @param patience for how long the server may not answer
   */
  public static JedisClientConfig settings(ServerAddress server, Duration patience) {
    return settings(server).timeoutMillis((int) patience.toMillis()).build();
  }

  private static DefaultJedisClientConfig.Builder settings(ServerAddress server) {
    DefaultJedisClientConfig.Builder settings =
        DefaultJedisClientConfig.builder().database(Integer.parseInt(server.database()));
    server.user().ifPresent(settings::user);
    server.password().ifPresent(settings::password);
    return settings;
  }
}
