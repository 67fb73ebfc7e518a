package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.postgres.LockMapper.Inspection;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.sql.support.NameRange;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Tells who holds locks, each time by one statement that changes nothing. Thread-safe. */
final class Inspector {
  private final Database database;
  private final String namespace;

  Inspector(Database database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  Optional<HoldInfo> inspect(String name, byte[] key) {
    Inspection found = database.run(
        "inspect",
        true,
        false,
        mapper -> Objects.requireNonNullElseGet(mapper.inspect(key), Inspection::new));
    return holder(name, found);
  }

  /**
   * Reads on from a row. Rows that are free count for the limit, so that a page is no more work
   * where there are many of them.
   */
  HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    byte[] after = query.after().map(HexFormat.of()::parseHex).orElse(null);
    List<Inspection> rows = database.run(
        "list",
        true,
        false,
        mapper -> mapper.list(after, range.start(), range.end(), query.limit()));
    HoldPage page = HoldPage.of(rows.stream()
        .flatMap(row -> range.name(row.lockKey).flatMap(name -> holder(name, row)).stream())
        .toList());
    return rows.size() < query.limit()
        ? page
        : page.withNext(HexFormat.of().formatHex(rows.get(rows.size() - 1).lockKey));
  }

  private static Optional<HoldInfo> holder(String name, Inspection found) {
    if (found.remainingUs <= 0) {
      return Optional.empty();
    }
    return Optional.of(HoldInfo.of(
        name,
        new String(found.owner, UTF_8),
        new String(found.host, UTF_8),
        Instant.EPOCH.plus(found.sinceUs, ChronoUnit.MICROS),
        Micros.toDuration(found.remainingUs),
        found.token,
        found.waiters));
  }
}
