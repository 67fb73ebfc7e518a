package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.WaiterInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

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
   * Tells who they are.
   *
   * @param rows in the order of the queue
   * @return what operators get to see
   */
  public static List<WaiterInfo> infos(List<WaiterRow> rows) {
    return rows.stream().map(WaiterRow::info).toList();
  }

  private WaiterInfo info() {
    return WaiterInfo.of(new String(owner, UTF_8), new String(host, UTF_8))
        .withSince(Instant.EPOCH.plus(sinceUs, ChronoUnit.MICROS))
        .withUnits(units, capacity);
  }
}
