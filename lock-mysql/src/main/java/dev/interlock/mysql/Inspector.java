package dev.interlock.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.mysql.LockMapper.Inspection;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.NameRange;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Tells who holds locks and who waits for them, each time by one statement that changes nothing.
 * Thread-safe.
 */
final class Inspector {
  /** Between the bucket and the key of the last row, in the position of a page. */
  private static final String SEPARATOR = ":";

  private final Database database;
  private final String namespace;

  Inspector(Database database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  Optional<HoldInfo> inspect(String name) {
    LockKey at = LockKey.of(namespace, name);
    Inspection found = database.run("inspect", true, session -> {
      Inspection row = session.mapper().inspect(at);
      return row == null ? new Inspection() : row;
    });
    return holder(name, found);
  }

  List<WaiterInfo> waiters(String name, int limit) {
    LockKey at = LockKey.of(namespace, name);
    return database
        .run("list the waiters", true, session -> session.mapper().waiters(at, limit))
        .stream()
        .map(row -> WaiterInfo.of(new String(row.owner, UTF_8), new String(row.host, UTF_8))
            .withSince(Instant.EPOCH.plus(row.sinceUs, ChronoUnit.MICROS)))
        .toList();
  }

  /**
   * Reads on from a row. Rows that are free count for the limit, so that a page is no more work
   * where there are many of them.
   */
  HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    LockKey after = query.after().map(Inspector::parse).orElse(null);
    List<Integer> rest = IntStream.range(after == null ? 0 : after.bucket() + 1, LockKey.BUCKETS)
        .boxed()
        .toList();
    List<Inspection> rows = database.run(
        "list",
        true,
        session -> session.mapper().list(after, rest, range.start(), range.end(), query.limit()));
    HoldPage page = HoldPage.of(rows.stream()
        .flatMap(row -> nameOf(row, range).flatMap(name -> holder(name, row)).stream())
        .toList());
    if (rows.size() < query.limit()) {
      return page;
    }
    Inspection last = rows.get(rows.size() - 1);
    return page.withNext(last.bucket + SEPARATOR + HexFormat.of().formatHex(last.lockKey));
  }

  private static LockKey parse(String position) {
    String[] parts = position.split(SEPARATOR, 2);
    if (parts.length < 2) {
      throw new IllegalArgumentException("no page of held locks ended at '" + position + "'");
    }
    return LockKey.of(Integer.parseInt(parts[0]), HexFormat.of().parseHex(parts[1]));
  }

  /** A row that somebody put into another bucket is of no lock. */
  private Optional<String> nameOf(Inspection row, NameRange range) {
    return range
        .name(row.lockKey)
        .filter(name -> LockKey.of(namespace, name).bucket() == row.bucket);
  }

  private static Optional<HoldInfo> holder(String name, Inspection found) {
    long remaining = Math.max(found.remainingUs, found.shareUs);
    if (remaining <= 0) {
      return Optional.empty();
    }
    return Optional.of(HoldInfo.of(
        name,
        new String(found.owner, UTF_8),
        new String(found.host, UTF_8),
        Instant.EPOCH.plus(found.sinceUs, ChronoUnit.MICROS),
        Protocol.ofMicros(remaining),
        found.token,
        found.waiters));
  }
}
