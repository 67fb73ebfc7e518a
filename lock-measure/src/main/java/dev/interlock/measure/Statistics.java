package dev.interlock.measure;

import java.util.Arrays;

/** The few figures that need more than an addition. */
public final class Statistics {
  private Statistics() {}

  /**
   * Returns Jain's index of fairness: 1 when all got the same, 1/n when one got everything.
   *
   * @param shares what each one got, at least one
   * @return from 1/n to 1; 1 when nobody got anything
   */
  public static double jain(long[] shares) {
    requireSome(shares.length);
    double sum = 0;
    double squares = 0;
    for (long share : shares) {
      sum += share;
      squares += (double) share * share;
    }
    return squares == 0 ? 1 : sum * sum / (shares.length * squares);
  }

  /**
   * Returns the middle value, or the mean of the two in the middle.
   *
   * @param values in any order, at least one
   */
  public static double median(double[] values) {
    requireSome(values.length);
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Compares two series that were measured in turns: the ratio of each pair, and then the middle
   * one, so a slow moment of the machine that hit both of a pair changes nothing.
   *
   * @param values one for each round
   * @param bases of the same rounds
   */
  public static Ratio ratio(double[] values, double[] bases) {
    requireSome(values.length);
    if (values.length != bases.length) {
      throw new IllegalArgumentException(values.length + " values, but " + bases.length + " bases");
    }
    double[] ratios = new double[values.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = values[i] / bases[i];
    }
    Arrays.sort(ratios);
    return new Ratio(median(ratios), ratios[0], ratios[ratios.length - 1]);
  }

  private static void requireSome(int count) {
    if (count == 0) {
      throw new IllegalArgumentException("there are no values");
    }
  }

  /**
   * A ratio that was measured several times.
   *
   * @param median the middle one
   * @param lowest of all rounds
   * @param highest of all rounds
   */
  public record Ratio(double median, double lowest, double highest) {}
}
