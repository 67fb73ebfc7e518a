package dev.interlock.tck.internal.run;

import dev.interlock.tck.TckScales;
import java.time.Duration;

/**
 * The lengths of time of a test, in two scales: how long what it does takes, and how patient it is.
 */
abstract class Times extends Findings {
  private final TckScales scales;

  Times(TckScales scales) {
    this.scales = scales;
  }

  /** Returns how long a lease, a wait or a pause of a test is. */
  public Duration ms(long millis) {
    return times(millis, scales.lengths());
  }

  /** Returns how long a sound backend may take for something that depends on no lease's end. */
  public Duration limit(long millis) {
    return times(millis, scales.limits());
  }

  /** Returns a length, and then a limit. */
  public Duration within(long millis, long limitMillis) {
    return ms(millis).plus(limit(limitMillis));
  }

  /** Returns after which time the server has ended a lease for certain. */
  public Duration expiry(long leaseMillis) {
    return ms(leaseMillis).plus(scales.leaseGranularity());
  }

  /** Returns within which time what waits for the end of a lease has come about. */
  public Duration pastLease(long leaseMillis, long limitMillis) {
    return expiry(leaseMillis).plus(limit(limitMillis));
  }

  private static Duration times(long millis, double factor) {
    return Duration.ofNanos(Math.round(millis * 1e6 * factor));
  }
}
