package dev.interlock.quorum.internal.hold;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Until when nobody else can have a lock, as far as is known. By two clocks, for the monotonic one
 * stands still while the machine sleeps. Thread-safe.
 */
final class Validity {
  // Guarded by this.
  private long until = System.nanoTime();
  private long untilMillis;

  /** Before a new hold begins: what was known of an earlier one says nothing of it. */
  synchronized void forget() {
    until = System.nanoTime();
  }

  /**
   * Enough members have it for a lease that began when they were asked, at the earliest. A shorter
   * one, or one that is told late, does not end a longer one.
   */
  synchronized void lasts(long sentAt, long sentAtMillis, Duration lease) {
    long end = sentAt + lease.toNanos();
    if (isOver() || end - until > 0) {
      until = end;
      untilMillis = sentAtMillis + lease.toMillis();
    }
  }

  synchronized boolean isOver() {
    return System.nanoTime() - until >= 0 || System.currentTimeMillis() >= untilMillis;
  }

  /** What is left of it, in whole milliseconds, rounded up; zero if it is over. */
  synchronized Duration left() {
    long nanos = isOver() ? 0 : until - System.nanoTime();
    return Duration.ofMillis((Math.max(0, nanos) + 999_999) / TimeUnit.MILLISECONDS.toNanos(1));
  }
}
