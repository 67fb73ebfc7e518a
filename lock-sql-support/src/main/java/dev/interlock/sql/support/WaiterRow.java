package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.WaiterInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** One who waits, as MyBatis reads it from a row. */
public final class WaiterRow {
  private byte[] owner = {};
  private byte[] host = {};
  private long sinceUs;
  private int units;
  private int capacity;

  /** For MyBatis, which sets the fields. */
  public WaiterRow() {}

  /**
   * Tells who it is.
   *
   * @return what operators get to see
   */
  public WaiterInfo info() {
    return WaiterInfo.of(new String(owner, UTF_8), new String(host, UTF_8))
        .withSince(Instant.EPOCH.plus(sinceUs, ChronoUnit.MICROS))
        .withUnits(units, capacity);
  }
}
