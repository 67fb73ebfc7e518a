package dev.interlock.redis.watch;

import dev.interlock.redis.support.jedis.JedisOptions;

/**
 * The options of {@code redis-watch}, besides {@link dev.interlock.CommonOptions}. Immutable
 * constants.
 */
public final class RedisWatchOptions implements JedisOptions {
  private RedisWatchOptions() {}
}
