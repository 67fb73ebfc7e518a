package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The options of the providers on Jedis. Immutable constants. */
public interface JedisOptions extends RedisOptions {
  /**
   * {@code poolSize}: connections for commands, opened as they are needed; by default 16, at least
   * 2; one of them is kept for releases and renewals. One more connection listens for wake-ups.
   */
  Option<Integer> POOL_SIZE = Option.integer("poolSize", 16)
      .atLeast(2)
      .atMost(1024)
      .describedAs("connections for commands; one of them is kept for releases and renewals");

  /** All of them. */
  List<Option<?>> ALL = Stream.concat(SHARED.stream(), Stream.of(POOL_SIZE)).toList();

  /**
   * Finds settings that do not go together, and those that the providers on Jedis do not offer.
   *
   * @param config settings that are each well-formed
   * @return one sentence for each conflict, without secrets
   */
  static List<String> conflicts(LockConfig config) {
    List<String> found = new ArrayList<>(RedisOptions.conflicts(config));
    if (config.get(TOPOLOGY) == Topology.CLUSTER) {
      found.add(config.provider() + " does not work with topology=cluster");
    }
    return found;
  }
}
