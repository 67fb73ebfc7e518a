package dev.interlock.mysql.internal.statements;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.mysql.internal.statements.LockMapper.Inspection;
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
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Tells who holds locks and who waits for them, each time by one statement that changes nothing.
 * Thread-safe.
 */
public final class Inspector {
  /** Between the bucket and the key of the last row, in the position of a page. */
  private static final String SEPARATOR = ":";

  private final Database database;
  private final String namespace;

  public Inspector(Database database, String namespace) {
    this.database = database;
    this.namespace = namespace;
  }

  public Optional<HoldInfo> inspect(String name) {
    LockKey at = LockKey.of(namespace, name);
    return holder(
        name, database.run("inspect", true, session -> session.mapper().inspect(at)));
  }

  public List<WaiterInfo> waiters(String name, int limit) {
    LockKey at = LockKey.of(namespace, name);
    return database
        .run("list the waiters", true, session -> session.mapper().waiters(at, limit))
        .stream()
        .map(WaiterRow::info)
        .toList();
  }

  /**
   * Reads on from a row. Rows that are free count for the limit, so that a page is no more work
   * where there are many of them.
   */
  public HoldPage list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    LockKey after = query.after().map(Inspector::parse).orElse(null);
    List<Integer> rest = IntStream.range(after == null ? 0 : after.bucket() + 1, LockKey.BUCKETS)
        .boxed()
        .toList();
    List<Inspection> rows = database.run(
        "list",
        true,
        session -> session.mapper().list(after, rest, range.start(), range.end(), query.limit()));
    Map<ByteBuffer, List<Inspection>> locks = rows.stream()
        .collect(Collectors.groupingBy(
            row -> ByteBuffer.wrap(row.lockKey), LinkedHashMap::new, Collectors.toList()));
    HoldPage page = HoldPage.of(locks.values().stream()
        .flatMap(lock -> nameOf(lock.get(0), range).flatMap(name -> holder(name, lock)).stream())
        .toList());
    if (locks.size() < query.limit()) {
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

  /** All holders, in the order of their tokens; entries of one owner are one hold. */
  private static Optional<HoldInfo> holder(String name, List<Inspection> rows) {
    TreeMap<Long, HoldInfo> holders = new TreeMap<>();
    rows.stream()
        .limit(1)
        .filter(row -> row.client != 0 && row.remainingUs > 0)
        .forEach(row -> holders.put(
            row.token,
            info(name, row.owner, row.host, row.sinceUs, row.remainingUs, row.token, row.waiters)));
    rows.stream()
        .filter(row -> row.capacity > 0 && row.partRemainingUs > 0)
        .forEach(row -> holders.merge(
            row.capacity == 1 ? row.token : row.partToken, part(name, row), Inspector::merge));
    List<HoldInfo> all = List.copyOf(holders.values());
    return all.stream()
        .findFirst()
        .map(first -> all.size() == 1 ? first : first.withOthers(all.subList(1, all.size())));
  }

  private static HoldInfo part(String name, Inspection row) {
    long token = row.capacity == 1 ? row.token : row.partToken;
    return info(
            name,
            row.partOwner,
            row.partHost,
            row.partSinceUs,
            row.partRemainingUs,
            token,
            row.waiters)
        .withUnits(row.units, row.capacity);
  }

  /** What is left of the longest of them. */
  private static HoldInfo merge(HoldInfo one, HoldInfo other) {
    HoldInfo first = other.since().isBefore(one.since()) ? other : one;
    return HoldInfo.of(
            first.name(),
            first.owner(),
            first.host(),
            first.since(),
            one.remaining().compareTo(other.remaining()) < 0 ? other.remaining() : one.remaining(),
            first.fencingToken(),
            first.waiters())
        .withUnits(first.units(), first.capacity());
  }

  private static HoldInfo info(
      String name,
      byte[] owner,
      byte[] host,
      long sinceUs,
      long remainingUs,
      long token,
      int waiters) {
    return HoldInfo.of(
        name,
        new String(owner, UTF_8),
        new String(host, UTF_8),
        Instant.EPOCH.plus(sinceUs, ChronoUnit.MICROS),
        Micros.toDuration(remainingUs),
        token,
        waiters);
  }
}
