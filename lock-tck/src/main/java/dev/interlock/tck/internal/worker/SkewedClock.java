package dev.interlock.tck.internal.worker;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * What classes of a worker see in place of the wall clock, once {@link SkewAgent} has been at work.
 * The methods have the names and types of those that they stand in for.
 */
public final class SkewedClock {
  private static volatile long offsetMillis;

  private SkewedClock() {}

  /** Moves the wall clock, as an operator or a time server may. */
  public static void setOffset(Duration offset) {
    offsetMillis = offset.toMillis();
  }

  public static long currentTimeMillis() {
    return System.currentTimeMillis() + offsetMillis;
  }

  public static Instant now() {
    return Instant.now().plusMillis(offsetMillis);
  }

  public static Clock systemUTC() {
    return Clock.offset(Clock.systemUTC(), Duration.ofMillis(offsetMillis));
  }

  public static Clock systemDefaultZone() {
    return systemUTC().withZone(ZoneId.systemDefault());
  }
}
