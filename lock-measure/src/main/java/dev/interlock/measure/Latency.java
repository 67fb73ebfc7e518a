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

  /** Reads a histogram of nanoseconds. */
  public static Latency of(Histogram nanos) {
    return new Latency(
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        nanos.getMaxValue() / 1e6);
  }
}
