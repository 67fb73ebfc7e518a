package dev.interlock.redis.support.jedis;

import dev.interlock.Option;
import dev.interlock.redis.support.RedisOptions;
import java.util.List;
import java.util.stream.Stream;

/** The options of the providers on Jedis. Immutable constants. */
public interface JedisOptions extends RedisOptions {
  /**
   * {@code poolSize}: connections for commands, opened as they are needed; by default 16, at least
   * 2; one of them is kept for releases and renewals. One more connection listens for wake-ups. In
   * a cluster, all this is for each master.
   */
  Option<Integer> POOL_SIZE = Option.integer("poolSize", 16)
      .atLeast(2)
      .atMost(1024)
      .describedAs("connections for commands; one of them is kept for releases and renewals");

  /** All of them. */
  List<Option<?>> ALL = Stream.concat(SHARED.stream(), Stream.of(POOL_SIZE)).toList();
}
