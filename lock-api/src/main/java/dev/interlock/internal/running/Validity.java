package dev.interlock.internal.running;

import java.time.Duration;

/** How long a lease is certainly valid, counted in this JVM. All times in nanoseconds. */
public final class Validity {
  /** Covers a server that counts in whole milliseconds, at both ends of the lease. */
  private static final long FIXED_MARGIN = 2_000_000;

  /** Covers clocks that run apart by up to 0.2 %; quartz is ten times better. */
  private static final long DRIFT_DIVISOR = 500;

  // The signal has to wake a timer and another thread, on a machine that is busy.
  private static final long SHORTEST_LEAD = 2_000_000;
  private static final long LONGEST_LEAD = 250_000_000;
  private static final long LEAD_DIVISOR = 20;

  private Validity() {}

  /** The moment from which the lease may have ended on the server. */
  public static long until(long sentAt, long lease) {
    return sentAt + lease - margin(lease);
  }

  /** By how much a lease is counted shorter here than on the server. */
  public static long margin(long lease) {
    return FIXED_MARGIN + lease / DRIFT_DIVISOR;
  }

  /**
   * The same by the wall clock, from a reading of it: a little later, for it counts in whole
   * milliseconds and may be slewed.
   */
  public static long wallUntil(long sentAt, long lease) {
    return sentAt + lease - lease / (2 * DRIFT_DIVISOR);
  }

  /** By how much the wall clock may end a lease later than the monotonic one, at the most. */
  public static long wallAhead(long lease) {
    return 2 * FIXED_MARGIN + lease / DRIFT_DIVISOR;
  }

  /** How long before the end of validity the loss is signalled, so that the holder can react. */
  public static long lead(long lease) {
    return Math.min(LONGEST_LEAD, Math.max(SHORTEST_LEAD, lease / LEAD_DIVISOR));
  }

  /** Nanoseconds, without overflow for the longest durations. */
  public static long nanos(Duration duration) {
    return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
  }

  /** Longer waits than this are no limit at all; it keeps sums of times far from overflow. */
  static final Duration LONGEST = Duration.ofDays(50L * 365);
}
