package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldPage;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One who holds a lock, or a lock that nobody holds, as MyBatis reads it from a row. */
public final class HoldRow {
  private byte[] lockKey = {};
  private int bucket;
  private byte[] owner = {};
  private byte[] host = {};
  private long sinceUs;
  private long token;
  private long remainingUs;
  private int waiters;
  private int units;
  private int capacity;

  /** For MyBatis, which sets the fields. */
  public HoldRow() {}

  /**
   * Returns the key of the lock.
   *
   * @return namespace and name in UTF-8
   */
  public byte[] lockKey() {
    return lockKey.clone();
  }

  /**
   * Returns the bucket of the lock's row, where that is read.
   *
   * @return its number
   */
  public int bucket() {
    return bucket;
  }

  /**
   * Makes of the rows of one lock what operators get to see.
   *
   * @param name the lock
   * @param rows in the order of their tokens
   * @return who holds it; empty if nobody does
   */
  public static Optional<HoldInfo> holder(String name, List<HoldRow> rows) {
    List<HoldInfo> all = rows.stream()
        .filter(row -> row.remainingUs > 0)
        .map(row -> row.info(name))
        .toList();
    return all.stream().findFirst().map(first -> first.withOthers(all.subList(1, all.size())));
  }

  private HoldInfo info(String name) {
    return HoldInfo.of(
            name,
            new String(owner, UTF_8),
            new String(host, UTF_8),
            Instant.EPOCH.plus(sinceUs, ChronoUnit.MICROS),
            Micros.toDuration(remainingUs),
            token,
            waiters)
        .withUnits(units, capacity);
  }

  /**
   * Makes a page of the rows of several locks. Locks that are free count for its size, so that a
   * page is no more work where there are many of them.
   *
   * @param rows lock by lock
   * @param limit how many locks were asked for
   * @param name of the lock that a row is of; empty for one that is not to be told of
   * @param position where to read on after a row
   * @return the page, with where the next one begins if there may be one
   */
  public static HoldPage page(
      List<HoldRow> rows,
      int limit,
      Function<HoldRow, Optional<String>> name,
      Function<HoldRow, String> position) {
    Map<ByteBuffer, List<HoldRow>> locks = rows.stream()
        .collect(Collectors.groupingBy(
            row -> ByteBuffer.wrap(row.lockKey), LinkedHashMap::new, Collectors.toList()));
    HoldPage page = HoldPage.of(locks.values().stream()
        .flatMap(lock -> name.apply(lock.get(0)).flatMap(one -> holder(one, lock)).stream())
        .toList());
    return locks.size() < limit ? page : page.withNext(position.apply(rows.get(rows.size() - 1)));
  }
}
