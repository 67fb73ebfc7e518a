package dev.interlock.compare.demo;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a contender tells.
 *
 * @param kind what happened
 * @param token the fencing token of the hold, 0 if there is none
 * @param waitedNanos how long it waited
 */
record DemoEvent(Kind kind, long token, long waitedNanos) {
  private static final Pattern FORM = Pattern.compile("([A-Z]+) (\\d+) (\\d+)");

  enum Kind {
    WAITS,
    HOLDS,
    RELEASES
  }

  static DemoEvent waits() {
    return new DemoEvent(Kind.WAITS, 0, 0);
  }

  static DemoEvent holds(long token, long waitedNanos) {
    return new DemoEvent(Kind.HOLDS, token, waitedNanos);
  }

  static DemoEvent releases(long token) {
    return new DemoEvent(Kind.RELEASES, token, 0);
  }

  /** As {@link #parse} reads it. */
  String line() {
    return kind + " " + token + " " + waitedNanos;
  }

  static DemoEvent parse(String line) {
    Matcher form = FORM.matcher(line);
    if (!form.matches()) {
      throw new IllegalArgumentException("not an event: " + line);
    }
    return new DemoEvent(
        Kind.valueOf(form.group(1)), Long.parseLong(form.group(2)), Long.parseLong(form.group(3)));
  }
}
