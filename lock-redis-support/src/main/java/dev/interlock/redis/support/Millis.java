package dev.interlock.redis.support;

import java.time.Duration;

/** Durations as the server counts them. */
public final class Millis {
  private Millis() {}

  /**
   * Rounds up, so that the server never ends a lease before the client does.
   *
   * @param duration not negative
   * @return whole milliseconds, at least 1
   */
  public static long roundedUp(Duration duration) {
    return Math.max(1, duration.plusNanos(999_999).toMillis());
  }
}
