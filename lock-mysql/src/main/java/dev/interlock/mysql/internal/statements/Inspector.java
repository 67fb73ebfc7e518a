package dev.interlock.mysql.internal.statements;

import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.HoldRow;
import dev.interlock.sql.support.NameRange;
import dev.interlock.sql.support.WaiterRow;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Tells who holds locks and who waits for them, each time by one statement that changes nothing.
 * Thread-safe.
 */
public final class Inspector {
  /** Between the bucket and the key of the last row, in the position of a page. */
  private static final String SEPARATOR = ":";

  private final Database<LockSession> database;
  private final String namespace;

  public Inspector(Database<LockSession> database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  public Optional<HoldInfo> inspect(String name) {
    LockKey at = LockKey.of(namespace, name);
    return HoldRow.holder(
        name, database.run("inspect", true, session -> session.mapper().inspect(at)));
  }

  public List<WaiterInfo> waiters(String name, int limit) {
    LockKey at = LockKey.of(namespace, name);
    return WaiterRow.infos(
        database.run("list the waiters", true, session -> session.mapper().waiters(at, limit)));
  }

  /** Reads on from a row. */
  public HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    LockKey after = query.after().map(Inspector::parse).orElse(null);
    List<Integer> rest = IntStream.range(after == null ? 0 : after.bucket() + 1, LockKey.BUCKETS)
        .boxed()
        .toList();
    List<HoldRow> rows = database.run(
        "list",
        true,
        session -> session.mapper().list(after, rest, range.start(), range.end(), query.limit()));
    return HoldRow.page(
        rows,
        query.limit(),
        row -> nameOf(row, range),
        row -> row.bucket() + SEPARATOR + HexFormat.of().formatHex(row.lockKey()));
  }

  private static LockKey parse(String position) {
    String[] parts = position.split(SEPARATOR, 2);
    if (parts.length < 2) {
      throw new IllegalArgumentException("no page of held locks ended at '" + position + "'");
    }
    return LockKey.of(Integer.parseInt(parts[0]), HexFormat.of().parseHex(parts[1]));
  }

  /** A row that somebody put into another bucket is of no lock. */
  private Optional<String> nameOf(HoldRow row, NameRange range) {
    return range
        .name(row.lockKey())
        .filter(name -> LockKey.of(namespace, name).bucket() == row.bucket());
  }
}
