package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.redis.support.RedisOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The options of the providers on Jedis. Immutable constants. */
public interface JedisOptions extends RedisOptions {
  /**
   * {@code poolSize}: connections for commands, opened as they are needed; by default 16, at least
   * 2, with {@link #REPLICAS} 3; one of them is kept for releases and renewals. One more connection
   * listens for wake-ups. In a cluster, all this is for each master.
   */
  Option<Integer> POOL_SIZE = Option.integer("poolSize", 16)
      .atLeast(2)
      .atMost(1024)
      .describedAs("connections for commands; one of them is kept for releases and renewals");

  /** All of them. */
  List<Option<?>> ALL = Stream.concat(SHARED.stream(), Stream.of(POOL_SIZE)).toList();

  /**
   * Finds settings that do not go together.
   *
   * @param config settings that are each well-formed
   * @return one sentence for each conflict, without secrets
   */
  static List<String> conflicts(LockConfig config) {
    return conflicts(config, config.get(POOL_SIZE));
  }

  /**
   * Finds settings that do not go together, or not with a pool of this size.
   *
   * @param config settings that are each well-formed
   * @param poolSize the most connections for commands at a time; negative if there is no limit
   * @return one sentence for each conflict, without secrets
   */
  static List<String> conflicts(LockConfig config, int poolSize) {
    List<String> found = new ArrayList<>(RedisOptions.conflicts(config));
    boolean waits = config.get(REPLICAS) > 0;
    int least = waits ? 3 : 2;
    if (poolSize >= 0 && poolSize < least) {
      found.add("the pool has " + poolSize + " connections only: at least " + least + " are needed"
          + (waits ? ", since a wait for replicas has one to itself" : ""));
    }
    return found;
  }
}
