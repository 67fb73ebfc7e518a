package dev.interlock.tck.internal.worker;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * What classes of a worker see in place of the wall clock, once {@link SkewAgent} has been at work.
 * The methods have the names and types of those that they stand in for.
 */
public final class SkewedClock {
  private static volatile long offsetMillis;
  private static volatile boolean inPlace;

  private SkewedClock() {}

  /** Moves the wall clock, as an operator or a time server may. */
  public static void setOffset(Duration offset) {
    offsetMillis = offset.toMillis();
  }

  /** The classes of this JVM see it from now on. */
  static void install() {
    inPlace = true;
  }

  /** Whether the classes of this JVM see it. */
  public static boolean isInPlace() {
    return inPlace;
  }

  public static long currentTimeMillis() {
    return System.currentTimeMillis() + offsetMillis;
  }

  public static Instant now() {
    return Instant.now().plusMillis(offsetMillis);
  }

  public static Clock systemUTC() {
    return system(ZoneOffset.UTC);
  }

  public static Clock systemDefaultZone() {
    return system(ZoneId.systemDefault());
  }

  public static Clock system(ZoneId zone) {
    return Clock.offset(Clock.system(zone), Duration.ofMillis(offsetMillis));
  }
}
