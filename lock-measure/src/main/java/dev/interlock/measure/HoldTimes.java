package dev.interlock.measure;

import java.time.Duration;

/**
 * How long a holder keeps a lock for which another waits, from 10 to 110 ms. A lock that is polled
 * is so released at any moment of a poll, as it is in an application; after a time that is always
 * the same it would be released at the same moment of each. The series is the same for all locks,
 * and any few in a row lie all over the span. Not thread-safe.
 */
public final class HoldTimes {
  /** So that the other surely waits: not every library tells when it does. */
  private static final Duration SHORTEST = Duration.ofMillis(10);

  /** The longest time between two polls that is known of a library. */
  private static final Duration SPAN = Duration.ofMillis(100);

  /** The golden ratio: a step whose multiples leave no part of the span out for long. */
  private static final double STEP = (Math.sqrt(5) - 1) / 2;

  private int given;

  /** The next one. */
  public Duration next() {
    given++;
    double part = given * STEP % 1;
    return SHORTEST.plusNanos((long) (part * SPAN.toNanos()));
  }
}
