package dev.interlock.redis.setnx;

import dev.interlock.redis.support.jedis.JedisOptions;

/**
 * The options of {@code redis-setnx}, besides {@link dev.interlock.CommonOptions}. Immutable
 * constants.
 */
public final class RedisSetnxOptions implements JedisOptions {
  private RedisSetnxOptions() {}
}
