package dev.interlock.measure;

import org.HdrHistogram.Histogram;

/**
 * How long something took.
 *
 * @param p50Micros half of all took no longer
 * @param p99Micros 99 of 100 took no longer
 * @param worstMillis the longest
 */
public record Latency(double p50Micros, double p99Micros, double worstMillis) {
  /** Of fewer values the 99th percentile is the chance of a few. */
  private static final long ENOUGH_FOR_P99 = 1_000;

  /** Whether so many values have a 99th percentile that is worth telling. */
  public static boolean tellsP99(long values) {
    return values >= ENOUGH_FOR_P99;
  }

  /** Reads a histogram of nanoseconds. */
  public static Latency of(Histogram nanos) {
    return new Latency(
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        nanos.getMaxValue() / 1e6);
  }
}
