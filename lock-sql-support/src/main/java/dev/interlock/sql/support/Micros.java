package dev.interlock.sql.support;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Microseconds, the unit of the servers' times. */
public final class Micros {
  private Micros() {}

  /**
   * Counts the microseconds of a duration, without a part of one.
   *
   * @param duration any that a long can count
   * @return microseconds
   */
  public static long of(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1_000;
  }

  /**
   * Makes a duration.
   *
   * @param micros microseconds
   * @return as long
   */
  public static Duration toDuration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
