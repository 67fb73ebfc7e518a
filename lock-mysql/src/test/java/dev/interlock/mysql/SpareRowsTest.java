package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rows of free locks, which go when a new lock comes to a bucket that has many rows. */
@Timeout(120)
class SpareRowsTest {
  private static final int KEPT = 16; // in a bucket, see Sweep
  private static final String PREFIX = "spare_"; // tables in which nobody else adds rows
  private static final Duration LEASE = Duration.ofMinutes(5); // longer than a test

  /** The server waits for longer for a row. */
  private static final Duration PROMPT = Duration.ofMillis(2_500);

  private final MysqlServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final AtomicReference<Runnable> beforeDeletion = new AtomicReference<>(() -> {});
  private TestClient one;
  private TestClient two;

  @BeforeEach
  void open() throws SQLException {
    one = client();
    two = client();
    removeRows();
  }

  private void removeRows() {
    for (String table : List.of("lock", "entry", "counter")) {
      server.execute("DELETE FROM " + server.database() + "." + PREFIX + table);
    }
  }

  private TestClient client() throws SQLException {
    LockConfig config = LockConfig.builder("mysql")
        .set(CommonOptions.NAMESPACE, namespace)
        .set(MysqlOptions.TABLE_PREFIX, PREFIX)
        .set(MysqlOptions.SCHEMA, MysqlOptions.SchemaMode.CREATE)
        .build();
    String id = Server.freshClientId();
    return new TestClient(
        id,
        MysqlBackend.over(
            new OddPool(server, server.database(), this::route),
            config,
            new ClientId(id, "test:1")));
  }

  private Connection route(Connection usual, String sql) {
    if (sql.contains("DELETE FROM " + PREFIX + "lock")) {
      beforeDeletion.getAndSet(() -> {}).run();
    }
    return usual;
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  /** Who removes rows has seen four that are free. Of one of them that is wrong by then. */
  @Test
  void r1_aReaderWhoEntersAfterACleanUpHasReadItsRowKeepsItsHold() {
    List<String> names = namesOfOneBucket(KEPT + 1);
    for (String name : names.subList(0, KEPT)) {
      HoldId id = two.id(); // which from then on knows that there is a row
      assertThat(writes(two, name, id)).isInstanceOf(Grant.class);
      assertThat(two.release(name, id).held()).isTrue();
    }
    List<String> free = names.subList(0, KEPT).stream().sorted().toList();
    String name = free.get(1);
    HoldId reader = two.id();
    AtomicReference<AttemptResult> entered = new AtomicReference<>();
    beforeDeletion.set(() -> entered.set(reads(two, name, reader)));
    cleanUp(names.get(KEPT), one.id());
    assertThat(entered.get()).isInstanceOf(Grant.class);

    assertThat(rows()).contains(name).doesNotContain(free.get(0), free.get(2));
    assertThat(RenewalAnswers.collect(two.backend, List.of(Renewal.of(name, reader, LEASE, false))))
        .hasOnlyElementsOfType(Grant.class);
    assertThat(writes(one, name, one.id())).isInstanceOf(AttemptResult.Busy.class);
  }

  /** As an operator may, who has begun a transaction. */
  @Test
  void e9_aRowThatIsKeptLockedKeepsNobodyFromOtherNames() throws SQLException {
    List<String> names = namesOfOneBucket(3 * (KEPT + 1));
    Duration quickest = LEASE;
    for (int round = 0; round < 3 && quickest.compareTo(PROMPT) >= 0; round++) {
      removeRows();
      int first = round * (KEPT + 1);
      Duration time = timeOfCleanUp(names.subList(first, first + KEPT + 1));
      quickest = time.compareTo(quickest) < 0 ? time : quickest;
    }
    assertThat(quickest).isLessThan(PROMPT);
  }

  /** How long a clean-up takes beside a row that is kept locked. */
  private Duration timeOfCleanUp(List<String> names) throws SQLException {
    for (String name : names.subList(0, KEPT)) {
      HoldId id = two.id();
      writes(two, name, id);
      two.release(name, id);
    }
    List<String> free = names.subList(0, KEPT).stream().sorted().toList();
    try (Connection operator = locking(free.get(0))) {
      Duration time = timeOf(() -> writes(one, names.get(KEPT), one.id()));
      assertThat(rows())
          .contains(free.get(0), names.get(KEPT))
          .doesNotContain(free.get(1), free.get(2), free.get(3));
      operator.rollback();
      return time;
    }
  }

  /** Its holder is long dead, and those who wait for it. */
  @Test
  void e9_aForgottenLockOfWhichTheRowIsKeptLockedKeepsNobodyFromOtherNames() throws SQLException {
    List<String> names = namesOfOneBucket(5);
    writes(two, names.get(0), two.id());
    two.attempt(names.get(0), two.id(), LEASE);
    for (String table : List.of("lock", "entry")) {
      server.execute("UPDATE " + server.database() + "." + PREFIX + table + " SET until_us = 1");
    }
    try (Connection operator = locking(names.get(0))) {
      assertThat(quickestOf(one, names.subList(1, 4))).isLessThan(PROMPT);
      operator.rollback();
    }
    writes(one, names.get(4), one.id());
    assertThat(one.backend.inspect(names.get(0))).isEmpty();
    assertThat(server.execute("SELECT COUNT(*) FROM " + server.database() + "." + PREFIX + "entry"))
        .isEqualTo("0");
  }

  /** What is asked for itself is waited for, by who asks. */
  @Undisturbed(millis = 300)
  void e9_whoWaitsForARowThatIsKeptLockedKeepsNobodyFromOtherNames() throws Exception {
    List<String> names = namesOfOneBucket(4);
    writes(two, names.get(0), two.id());
    try (Connection operator = locking(names.get(0));
        TestClient three = client()) {
      FutureTask<AttemptResult> asking = new FutureTask<>(() -> reads(one, names.get(0), one.id()));
      new Thread(asking).start();
      Awaitility.await()
          .pollInterval(Duration.ofMillis(200))
          .until(() -> server
              .execute("SELECT COUNT(*) FROM information_schema.innodb_trx"
                  + " WHERE trx_state = 'LOCK WAIT'")
              .equals("1"));
      assertThat(quickestOf(three, names.subList(1, 4))).isLessThan(PROMPT);
      assertThat(asking).isNotDone();
      operator.rollback();
      assertThat(asking.get(10, TimeUnit.SECONDS)).isInstanceOf(AttemptResult.Busy.class);
    }
  }

  private Connection locking(String name) throws SQLException {
    Connection operator =
        new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
    operator.setAutoCommit(false);
    try (PreparedStatement row = operator.prepareStatement(
        "SELECT 1 FROM " + PREFIX + "lock WHERE bucket = ? AND lock_key = ? FOR UPDATE")) {
      LockKey at = LockKey.of(namespace, name);
      row.setInt(1, at.bucket());
      row.setBytes(2, at.key());
      assertThat(row.executeQuery().next()).isTrue();
    }
    return operator;
  }

  /** One that is prompt is enough: the machine or the server may stand still meanwhile. */
  private static Duration quickestOf(TestClient client, List<String> names) {
    Duration quickest = LEASE;
    for (String name : names) {
      Duration time = timeOf(() -> writes(client, name, client.id()));
      quickest = time.compareTo(quickest) < 0 ? time : quickest;
      if (quickest.compareTo(PROMPT) < 0) {
        break;
      }
    }
    return quickest;
  }

  private static Duration timeOf(Supplier<AttemptResult> attempt) {
    long start = System.nanoTime();
    assertThat(attempt.get()).isInstanceOf(Grant.class);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** On a busy machine the reader takes so long that the server cuts the transaction off. */
  private void cleanUp(String name, HoldId id) {
    try {
      assertThat(writes(one, name, id)).isInstanceOf(Grant.class);
    } catch (OutcomeUnknownException e) {
      assertThat(writes(one, name, id)).isInstanceOf(Grant.class);
    }
  }

  private List<String> namesOfOneBucket(int count) {
    return IntStream.range(10_000, 90_000)
        .mapToObj(Integer::toString)
        .filter(name -> LockKey.of(namespace, name).bucket() == 0)
        .limit(count)
        .toList();
  }

  private List<String> rows() {
    return server
        .execute("SELECT CONVERT(lock_key USING utf8mb4) FROM " + server.database() + "." + PREFIX
            + "lock")
        .lines()
        .map(key -> key.substring(namespace.length() + 1))
        .toList();
  }

  private static AttemptResult reads(TestClient client, String name, HoldId id) {
    return client.backend.attempt(
        Attempt.of(name, id, "owner", LEASE).withFair(true).withUnits(1, Integer.MAX_VALUE));
  }

  private static AttemptResult writes(TestClient client, String name, HoldId id) {
    return client.attempt(name, id, Duration.ZERO, LEASE);
  }
}
