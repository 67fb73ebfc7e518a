package dev.interlock.postgres.internal.statements;

import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.HoldRow;
import dev.interlock.sql.support.NameRange;
import dev.interlock.sql.support.Session;
import dev.interlock.sql.support.WaiterRow;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Tells who holds locks and who waits for them, each time by one statement that changes nothing.
 * Thread-safe.
 */
public final class Inspector {
  private final Database<Session<LockMapper>> database;
  private final String namespace;

  public Inspector(Database<Session<LockMapper>> database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  public Optional<HoldInfo> inspect(String name, byte[] key) {
    return HoldRow.holder(
        name, database.run("inspect", true, session -> session.mapper().inspect(key)));
  }

  public List<WaiterInfo> waiters(byte[] key, int limit) {
    return database
        .run("list the waiters", true, session -> session.mapper().waiters(key, limit))
        .stream()
        .map(WaiterRow::info)
        .toList();
  }

  /** Reads on from a lock. */
  public HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    byte[] after = query.after().map(HexFormat.of()::parseHex).orElse(null);
    List<HoldRow> rows = database.run(
        "list",
        true,
        session -> session.mapper().list(after, range.start(), range.end(), query.limit()));
    return HoldRow.page(
        rows,
        query.limit(),
        row -> range.name(row.lockKey()),
        row -> HexFormat.of().formatHex(row.lockKey()));
  }
}
