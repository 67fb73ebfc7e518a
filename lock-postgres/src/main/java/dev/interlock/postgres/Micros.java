package dev.interlock.postgres;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** The unit of the server's times. */
final class Micros {
  private Micros() {}

  static long of(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1_000;
  }

  static Duration toDuration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
