package dev.interlock.postgres;

import java.time.Duration;

/** When a waiter should look again. */
final class Recheck {
  /**
   * The time between two looks, up to a quarter more for a common tick. Bounds the cost of a lost
   * message, and is how a waiter learns that its owner was granted the lock in another client:
   * within a second (rule S1).
   */
  private static final Duration LONGEST = Duration.ofMillis(750);

  /** The same for a client that cannot be told of a grant. */
  private static final Duration POLL = Duration.ofMillis(100);

  private Recheck() {}

  /**
   * Answers how long it should wait for it.
   *
   * @param remainingUs for how long the lock stays as it is, by the server's count
   * @param listening whether its client would be told of a grant
   */
  static Duration after(long remainingUs, boolean listening) {
    Duration longest = untilTick(listening ? LONGEST : POLL);
    // Not before the lease is over by the server's clock, or the look would be for nothing.
    Duration lease = Micros.toDuration(Math.max(1_000, remainingUs + 1_000));
    return lease.compareTo(longest) < 0 ? lease : longest;
  }

  /** All waiters of this client look again at the same ticks, and so in the same batch. */
  private static Duration untilTick(Duration period) {
    long nanos = period.toNanos();
    long left = nanos - Math.floorMod(System.nanoTime(), nanos);
    return Duration.ofNanos(left < nanos / 4 ? left + nanos : left);
  }
}
