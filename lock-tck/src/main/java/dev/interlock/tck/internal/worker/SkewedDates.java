package dev.interlock.tck.internal.worker;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/** What classes see in place of dates and times of day that the JDK takes from the wall clock. */
public final class SkewedDates {
  private SkewedDates() {}

  /** In place of {@link LocalDateTime}. */
  public static final class Local {
    private Local() {}

    public static LocalDateTime now() {
      return LocalDateTime.now(SkewedClock.systemDefaultZone());
    }

    public static LocalDateTime now(ZoneId zone) {
      return LocalDateTime.now(SkewedClock.system(zone));
    }
  }

  /** In place of {@link ZonedDateTime}. */
  public static final class Zoned {
    private Zoned() {}

    public static ZonedDateTime now() {
      return ZonedDateTime.now(SkewedClock.systemDefaultZone());
    }

    public static ZonedDateTime now(ZoneId zone) {
      return ZonedDateTime.now(SkewedClock.system(zone));
    }
  }
}
