package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rows of free locks, which go when a new lock comes to a bucket that has many rows. */
@Timeout(60)
class SpareRowsTest {
  private static final int MANY = 16;
  private static final Duration LEASE = Duration.ofMinutes(5); // longer than a test
  private static final String NAMES =
      "SELECT SUBSTR(CONVERT_FROM(lock_key, 'UTF8'), 3) FROM interlock_";

  private final PostgresServer server = Server.shared();
  private final String database = Server.freshNamespace(); // one whose functions may be changed
  private TestClient one;
  private TestClient two;

  @BeforeEach
  void open() {
    server.execute("CREATE DATABASE " + database);
    String uri = "postgres://" + server.user() + ":" + server.password() + "@" + server.host() + ":"
        + server.port() + "/" + database + "?schema=create&namespace=t&timeout=PT30S";
    one = Server.client(uri);
    two = Server.client(uri);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    server.execute("DROP DATABASE " + database + " WITH (FORCE)");
  }

  /**
   * Who removes rows looks for them, and stands before a gate until readers have entered two of the
   * four locks that it found free. What it judges by its snapshot alone is wrong by then.
   */
  @Test
  void r1_aReaderWhoEntersBetweenTheSnapshotOfACleanUpAndItsRowLocksKeepsItsHold()
      throws Exception {
    List<String> names = namesOfOneBucket();
    List<String> free = names.subList(0, 2);
    List<String> ranOut = names.subList(2, 4);
    for (String name : free) {
      HoldId id = one.id();
      assertThat(writes(one, name, id)).isInstanceOf(Grant.class);
      assertThat(one.release(name, id).held()).isTrue();
    }
    for (String name : ranOut) {
      assertThat(reads(one, name, one.id())).isInstanceOf(Grant.class);
    }
    for (String name : names.subList(4, MANY)) {
      assertThat(writes(one, name, one.id())).isInstanceOf(Grant.class);
    }

    try (Connection gate = DriverManager.getConnection(
            "jdbc:postgresql://" + server.host() + ":" + server.port() + "/" + database,
            server.user(),
            server.password());
        Statement statement = gate.createStatement()) {
      statement.execute("UPDATE interlock_entry SET until_us = 1");
      assertThat(ask(statement, "SELECT lock_rows FROM interlock_counter"))
          .containsExactly(Integer.toString(MANY));
      putGateBehindSnapshot(statement);
      statement.execute("SELECT PG_ADVISORY_LOCK(1)");

      HoldId last = one.id();
      FutureTask<AttemptResult> cleaning =
          new FutureTask<>(() -> writes(one, names.get(MANY), last));
      new Thread(cleaning).start();
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> waitsBeforeGate(statement));
      HoldId first = two.id();
      HoldId second = two.id();
      assertThat(reads(two, free.get(0), first)).isInstanceOf(Grant.class);
      assertThat(reads(two, ranOut.get(0), second)).isInstanceOf(Grant.class);
      assertThat(cleaning).isNotDone();
      statement.execute("SELECT PG_ADVISORY_UNLOCK(1)");
      assertThat(cleaning.get(30, TimeUnit.SECONDS)).isInstanceOf(Grant.class);

      assertThat(writes(one, free.get(0), one.id())).isInstanceOf(AttemptResult.Busy.class);
      assertThat(writes(one, ranOut.get(0), one.id())).isInstanceOf(AttemptResult.Busy.class);
      assertThat(ask(statement, NAMES + "entry"))
          .containsExactlyInAnyOrder(free.get(0), ranOut.get(0));
      List<String> kept = new ArrayList<>(names);
      kept.removeAll(List.of(free.get(1), ranOut.get(1)));
      assertThat(ask(statement, NAMES + "lock")).containsExactlyInAnyOrderElementsOf(kept);
      assertThat(ask(statement, "SELECT lock_rows FROM interlock_counter"))
          .containsExactly(Integer.toString(kept.size()));
      assertThat(RenewalAnswers.collect(
              two.backend, List.of(renewal(free.get(0), first), renewal(ranOut.get(0), second))))
          .hasOnlyElementsOfType(Grant.class);
    }
  }

  /** One more than the rows that a bucket has before some go. */
  private List<String> namesOfOneBucket() {
    List<String> names = server
        .execute("SELECT n FROM GENERATE_SERIES(0, 9999) n"
            + " WHERE GET_BYTE(SHA256(CONVERT_TO('t:' || n, 'UTF8')), 0) & 63 = 0 LIMIT "
            + (MANY + 1))
        .lines()
        .toList();
    assertThat(names).hasSize(MANY + 1);
    return names;
  }

  /** The condition is looked at after the statement has its snapshot and before it locks a row. */
  private static void putGateBehindSnapshot(Statement statement) throws SQLException {
    String function = String.join(
        "\n", ask(statement, "SELECT PG_GET_FUNCTIONDEF('interlock_lock_row'::regproc)"));
    String search = "WHERE l.bucket = b AND ";
    assertThat(function).containsOnlyOnce(search);
    statement.execute(
        function.replace(search, search + "PG_ADVISORY_XACT_LOCK_SHARED(1)::text = '' AND "));
  }

  private static boolean waitsBeforeGate(Statement statement) throws SQLException {
    String waiting = "SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database"
        + " WHERE datname = CURRENT_DATABASE() AND locktype = 'advisory' AND NOT granted";
    return ask(statement, waiting).size() == 1;
  }

  private static List<String> ask(Statement statement, String sql) throws SQLException {
    List<String> answers = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        answers.add(rows.getString(1));
      }
    }
    return answers;
  }

  private static AttemptResult reads(TestClient client, String name, HoldId id) {
    return client.backend.attempt(
        Attempt.of(name, id, "owner", LEASE).withFair(true).withUnits(1, Integer.MAX_VALUE));
  }

  private static AttemptResult writes(TestClient client, String name, HoldId id) {
    return client.attempt(name, id, Duration.ZERO, LEASE);
  }

  private static Renewal renewal(String name, HoldId id) {
    return Renewal.of(name, id, LEASE, false);
  }
}
