package dev.interlock.compare.facts;

import java.util.Locale;

/** Figures as people read them. */
final class Text {
  private Text() {}

  static double millis(long nanos) {
    return nanos / 1e6;
  }

  /** Such as {@code 1,020 ms} or {@code 0.4 ms}. */
  static String ms(double millis) {
    return String.format(Locale.ROOT, Math.abs(millis) < 10 ? "%,.1f ms" : "%,.0f ms", millis);
  }

  /** With at most one digit after the point. */
  static String number(double value) {
    boolean whole = Math.abs(value - Math.rint(value)) < 0.05;
    return String.format(Locale.ROOT, whole ? "%,.0f" : "%,.1f", value);
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Such as {@code 1 key or row} or {@code 3 keys or rows}. */
  static String entries(long count) {
    return count == 1 ? "1 key or row" : number(count) + " keys or rows";
  }
}
