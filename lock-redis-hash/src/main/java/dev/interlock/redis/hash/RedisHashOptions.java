package dev.interlock.redis.hash;

import dev.interlock.Option;
import dev.interlock.redis.support.RedisOptions;
import java.util.List;

/**
 * The options of {@code redis-hash}, besides {@link dev.interlock.CommonOptions}. Immutable
 * constants.
 */
public final class RedisHashOptions implements RedisOptions {
  /** All of them. */
  public static final List<Option<?>> ALL = SHARED;

  private RedisHashOptions() {}
}
