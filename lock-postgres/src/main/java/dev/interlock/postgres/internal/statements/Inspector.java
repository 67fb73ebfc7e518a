package dev.interlock.postgres.internal.statements;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.postgres.internal.statements.LockMapper.Inspection;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.NameRange;
import dev.interlock.sql.support.WaiterRow;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tells who holds locks and who waits for them, each time by one statement that changes nothing.
 * Thread-safe.
 */
public final class Inspector {
  private final Database database;
  private final String namespace;

  public Inspector(Database database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  public Optional<HoldInfo> inspect(String name, byte[] key) {
    return holder(name, database.run("inspect", true, false, mapper -> mapper.inspect(key)));
  }

  public List<WaiterInfo> waiters(byte[] key, int limit) {
    return database
        .run("list the waiters", true, false, mapper -> mapper.waiters(key, limit))
        .stream()
        .map(WaiterRow::info)
        .toList();
  }

  /**
   * Reads on from a lock. Locks that are free count for the limit, so that a page is no more work
   * where there are many of them.
   */
  public HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    byte[] after = query.after().map(HexFormat.of()::parseHex).orElse(null);
    List<Inspection> rows = database.run(
        "list",
        true,
        false,
        mapper -> mapper.list(after, range.start(), range.end(), query.limit()));
    Map<ByteBuffer, List<Inspection>> locks = rows.stream()
        .collect(Collectors.groupingBy(
            row -> ByteBuffer.wrap(row.lockKey), LinkedHashMap::new, Collectors.toList()));
    HoldPage page = HoldPage.of(locks.entrySet().stream()
        .flatMap(lock ->
            range
                .name(lock.getKey().array())
                .flatMap(name -> holder(name, lock.getValue()))
                .stream())
        .toList());
    return locks.size() < query.limit()
        ? page
        : page.withNext(HexFormat.of().formatHex(rows.get(rows.size() - 1).lockKey));
  }

  private static Optional<HoldInfo> holder(String name, List<Inspection> rows) {
    List<HoldInfo> holders = rows.stream()
        .filter(row -> row.remainingUs > 0)
        .map(row -> info(name, row))
        .toList();
    return holders.stream()
        .findFirst()
        .map(first -> first.withOthers(holders.subList(1, holders.size())));
  }

  private static HoldInfo info(String name, Inspection found) {
    return HoldInfo.of(
            name,
            new String(found.owner, UTF_8),
            new String(found.host, UTF_8),
            Instant.EPOCH.plus(found.sinceUs, ChronoUnit.MICROS),
            Micros.toDuration(found.remainingUs),
            found.token,
            found.waiters)
        .withUnits(found.units, found.capacity);
  }
}
