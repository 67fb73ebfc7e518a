package dev.interlock.tck;

import java.time.Duration;
import java.util.Locale;

/**
 * By how much a run's tests were stretched. Two factors, for two different things: how long the
 * leases, waits and pauses of a test are, and how long a test waits for a sound backend. A distant
 * server needs more patience, and not longer leases.
 *
 * @param lengths the factor on leases, waits and pauses: the backend's
 *     {@link TckBackend#timeScale}, or more where patience would otherwise outlast them
 * @param limits the factor on time limits: it grows with the round trip
 * @param roundTrip how long a request and its answer took at the start of the run, the median
 * @param leaseGranularity what the provider declares; zero if leases end when they say
 */
public record TckScales(
    double lengths, double limits, Duration roundTrip, Duration leaseGranularity) {
  /** A server so far away gets twice the time. */
  private static final Duration DOUBLES = Duration.ofMillis(25);

  /** What takes longer is slow and not far away: a limit that grew with it would never be met. */
  private static final Duration FARTHEST = Duration.ofMillis(200);

  /**
   * How many times as far limits may be stretched as lengths. With more a fault could hide: what
   * comes about because a lease of a test has ended would look like what was waited for.
   */
  private static final double MOST_PATIENCE = 4;

  /**
   * Derives the factors.
   *
   * @param timeScale the factor that the backend's author chose, on both
   * @param roundTrip how long a request and its answer take
   * @param leaseGranularity how much longer than its lease a hold may last
   * @return the scales of a run
   */
  public static TckScales of(double timeScale, Duration roundTrip, Duration leaseGranularity) {
    long distance = Math.min(roundTrip.toNanos(), FARTHEST.toNanos());
    double limits = timeScale * (1 + (double) distance / DOUBLES.toNanos());
    return new TckScales(
        Math.max(timeScale, limits / MOST_PATIENCE), limits, roundTrip, leaseGranularity);
  }

  /** Prints all of it in one line, for people. */
  @Override
  public String toString() {
    String text = String.format(
        Locale.ROOT,
        "leases and waits x%.1f, limits x%.1f, round trip %.1f ms",
        lengths,
        limits,
        roundTrip.toNanos() / 1e6);
    return leaseGranularity.isZero()
        ? text
        : text + ", leases in steps of " + leaseGranularity.toMillis() + " ms";
  }
}
