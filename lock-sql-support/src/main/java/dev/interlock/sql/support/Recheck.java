package dev.interlock.sql.support;

import java.time.Duration;

/** When a waiter should look again, and for how long its entry stays if it does not. */
public final class Recheck {
  /**
   * The time between two looks, up to a quarter more for a common tick. Bounds the cost of a lost
   * message, and is how a waiter learns that its owner was granted the lock in another client:
   * within a second (rule S1).
   */
  public static final Duration LONGEST = Duration.ofMillis(750);

  /** The same for a client that cannot be told of a grant. */
  public static final Duration POLL = Duration.ofMillis(100);

  /** How long a waiter stays in the queue without a sign of life, in microseconds. */
  public static final long LONGEST_STAY_US = 10_000_000;

  private Recheck() {}

  /**
   * Answers how long it should wait for it.
   *
   * @param remainingUs for how long the lock stays as it is, by the server's count
   * @param told whether its client would be told of a grant
   * @return the time until its next look
   */
  public static Duration after(long remainingUs, boolean told) {
    Duration longest = untilTick(told ? LONGEST : POLL);
    // Not before the lease is over by the server's clock, or the look would be for nothing.
    Duration lease = Micros.toDuration(Math.max(1_000, remainingUs + 1_000));
    return lease.compareTo(longest) < 0 ? lease : longest;
  }

  /**
   * Answers how long it stays in the queue without a sign of life.
   *
   * @param patience for how long it waits at most
   * @return microseconds
   */
  public static long stayUs(Duration patience) {
    return Math.min(LONGEST_STAY_US, Micros.of(patience) + 1_000_000);
  }

  /** All waiters of this client look again at the same ticks, and so in the same batch. */
  private static Duration untilTick(Duration period) {
    long nanos = period.toNanos();
    long left = nanos - Math.floorMod(System.nanoTime(), nanos);
    return Duration.ofNanos(left < nanos / 4 ? left + nanos : left);
  }
}
