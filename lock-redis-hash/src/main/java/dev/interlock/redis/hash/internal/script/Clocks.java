package dev.interlock.redis.hash.internal.script;

import dev.interlock.redis.hash.internal.push.SendTimes;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerClock;
import java.util.stream.Stream;

/**
 * What is known of the time of the servers. The nodes of a cluster have a clock each, and a bucket
 * of locks may move from one to another, so there something is known for each bucket. Thread-safe.
 */
public final class Clocks {
  /**
   * What the answers of one server taught.
   *
   * @param server limits how late a command may run
   * @param sendTimes dates a grant
   */
  public record Clock(ServerClock server, SendTimes sendTimes) {
    private static Clock unset() {
      return new Clock(new ServerClock(), new SendTimes());
    }
  }

  private final Clock[] clocks;

  public Clocks(boolean cluster) {
    clocks =
        Stream.generate(Clock::unset).limit(cluster ? KeyLayout.BUCKETS : 1).toArray(Clock[]::new);
  }

  public Clock of(LockKeys lock) {
    return clocks[lock.bucket() % clocks.length];
  }
}
