package dev.interlock.spring.internal.client;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.setnx.RedisSetnxLocks;
import dev.interlock.redis.watch.RedisWatchLocks;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * The connections to Redis of an application that locks can use: a client of its own that is made
 * with the provider's library, else a further one to the server that Spring Boot knows. The client
 * of Spring Data is not shared: it ends with its factory, which stops before the locks are given
 * back.
 */
final class RedisConnections {
  static final String HASH = "redis-hash";
  static final String SETNX = "redis-setnx";
  static final String WATCH = "redis-watch";

  private static final boolean JEDIS = ClassUtils.isPresent(
      "redis.clients.jedis.JedisPool", RedisConnections.class.getClassLoader());

  private RedisConnections() {}

  static List<OwnConnection> find(String provider, OwnBeans beans) {
    List<OwnConnection> own =
        provider.equals(HASH) ? OnLettuce.find(beans) : OnJedis.find(provider, beans);
    return own.isEmpty() && RedisAddress.PRESENT ? RedisAddress.find(provider, beans) : own;
  }

  /** Finds the clients of Jedis that locks cannot use. */
  static List<JedisWithoutPool> withoutPool(OwnBeans beans) {
    return JEDIS ? OnJedis.withoutPool(beans) : List.of();
  }

  // The libraries that each of these needs are optional.

  private static final class OnLettuce {
    static List<OwnConnection> find(OwnBeans beans) {
      List<OwnConnection> found = new ArrayList<>();
      for (String bean : beans.names(RedisClient.class)) {
        RedisClient redis = beans.get(bean, RedisClient.class);
        found.add(OwnConnection.of(HASH, bean, config -> RedisHashLocks.using(redis, config)));
      }
      for (String bean : beans.names(RedisClusterClient.class)) {
        RedisClusterClient cluster = beans.get(bean, RedisClusterClient.class);
        found.add(OwnConnection.of(HASH, bean, config -> RedisHashLocks.using(cluster, config)));
      }
      return found;
    }
  }

  private static final class OnJedis {
    static List<OwnConnection> find(String provider, OwnBeans beans) {
      List<OwnConnection> found = new ArrayList<>();
      for (String bean : beans.names(ConnectionPool.class)) {
        found.add(over(provider, bean, beans.get(bean, ConnectionPool.class)));
      }
      for (String bean : beans.names(UnifiedJedis.class)) {
        Pool<Connection> pool = poolOf(beans.get(bean, UnifiedJedis.class));
        if (pool != null) {
          found.add(over(provider, bean, pool));
        }
      }
      // An application that has changed to connections may still have its old pool.
      return found.isEmpty() ? inJedisPools(provider, beans) : found;
    }

    private static List<OwnConnection> inJedisPools(String provider, OwnBeans beans) {
      return beans.names(JedisPool.class).stream()
          .map(bean ->
              over(provider, bean, new JedisPoolConnections(beans.get(bean, JedisPool.class))))
          .toList();
    }

    static List<JedisWithoutPool> withoutPool(OwnBeans beans) {
      List<JedisWithoutPool> found = new ArrayList<>();
      for (String bean : beans.all(UnifiedJedis.class)) {
        UnifiedJedis jedis = beans.get(bean, UnifiedJedis.class);
        if (poolOf(jedis) == null) {
          found.add(new JedisWithoutPool(bean, jedis.getClass()));
        }
      }
      for (String bean : beans.all(JedisSentinelPool.class)) {
        found.add(new JedisWithoutPool(bean, JedisSentinelPool.class));
      }
      return found;
    }

    private static OwnConnection over(String provider, String bean, Pool<Connection> pool) {
      return OwnConnection.of(
          provider,
          bean,
          config ->
              provider.equals(SETNX) ? OnSetnx.open(pool, config) : OnWatch.open(pool, config));
    }

    /** That of a JedisPooled, or from Jedis 8 on of a RedisClient; others have none. */
    @SuppressWarnings("unchecked") // no pool of theirs has anything else
    private static @Nullable Pool<Connection> poolOf(UnifiedJedis jedis) {
      Method getter = ReflectionUtils.findMethod(jedis.getClass(), "getPool");
      if (getter == null) {
        return null;
      }
      ReflectionUtils.makeAccessible(getter);
      return ReflectionUtils.invokeMethod(getter, jedis) instanceof Pool<?> pool
          ? (Pool<Connection>) pool
          : null;
    }
  }

  private static final class OnSetnx {
    static LockClient open(Pool<Connection> pool, LockConfig config) {
      return RedisSetnxLocks.using(pool, config);
    }
  }

  private static final class OnWatch {
    static LockClient open(Pool<Connection> pool, LockConfig config) {
      return RedisWatchLocks.using(pool, config);
    }
  }
}
