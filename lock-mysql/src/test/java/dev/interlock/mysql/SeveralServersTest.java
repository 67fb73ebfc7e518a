package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Drivers and proxies with several servers behind them, which send statements where they like. */
@Timeout(60)
class SeveralServersTest {
  private static final Duration NONE = Duration.ZERO;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final MysqlServer server = Server.shared();
  private final String namespace = Server.freshNamespace();

  /**
   * As a driver that falls back to its first host does: no transaction may go on without its row
   * lock.
   */
  @Test
  void x2_aTurnWhoseConnectionIsAnotherOneForItsSecondPacketChangesNothingAndIsRepeated()
      throws SQLException {
    OddPool spare = new OddPool(server, server.database(), (usual, sql) -> usual);
    AtomicReference<Runnable> meanwhile = new AtomicReference<>();
    AtomicBoolean begun = new AtomicBoolean();
    try (TestClient other = Server.client(uri());
        TestClient moved = OddPool.client(namespace, (usual, sql) -> {
          boolean second = begun.getAndSet(sql.contains("START TRANSACTION"));
          Runnable task = second ? meanwhile.getAndSet(null) : null;
          if (task == null) {
            return usual;
          }
          usual.close();
          task.run();
          return spare.getConnection();
        })) {
      HoldId held = moved.id();
      HoldId waiter = other.id();
      HoldId winner = other.id();
      moved.attempt("a", held, NONE);
      other.attempt("a", waiter, LONG);
      meanwhile.set(() -> {
        other.backend.forceRelease("a");
        other.release("a", waiter);
        assertThat(other.attempt("a", winner, NONE)).isInstanceOf(Grant.class);
      });

      assertThat(moved.release("a", held)).isEqualTo(ReleaseResult.notHeld());
      assertThat(meanwhile.get()).as("the connection was replaced").isNull();
      assertThat(renewed(other, "a", winner)).isInstanceOf(Grant.class);
    }
  }

  /** As a proxy does that sends statements without a transaction to a replica if they only read. */
  @Test
  void n3_noRenewalIsDecidedByAReplicaThatLags() throws SQLException {
    String lagging = "lag_" + namespace;
    Server.client(uri()).close();
    server.execute("CREATE DATABASE " + lagging);
    copyTables(lagging);
    OddPool replica = new OddPool(server, lagging, (usual, sql) -> usual);
    try (Connection behind = replica.getConnection();
        TestClient split = OddPool.client(
            namespace, (usual, sql) -> sql.strip().startsWith("SELECT") ? behind : usual);
        TestClient other = Server.client(uri())) {
      HoldId held = split.id();
      HoldId waiter = split.id();
      HoldId share = split.id();
      split.attempt("a", held, NONE);
      other.attempt("w", other.id(), NONE);
      split.attempt("w", waiter, LONG);
      other.attemptAs("saga", "s", other.id(), NONE);
      split.attemptAs("saga", "s", share, NONE);
      copyTables(lagging);
      for (String name : List.of("a", "w", "s")) {
        other.backend.forceRelease(name);
      }
      other.backend.abandon("w", waiter);
      for (String name : List.of("a", "w", "s")) {
        assertThat(other.attempt(name, other.id(), NONE)).isInstanceOf(Grant.class);
      }

      assertThat(renewed(split, "a", held)).isEqualTo(RenewalResult.gone());
      assertThat(renewed(split, "s", share)).isEqualTo(RenewalResult.gone());
      assertThat(RenewalAnswers.collect(
              split.backend, List.of(Renewal.of("w", waiter, TestClient.LEASE, true))))
          .containsExactly(RenewalResult.gone());
    } finally {
      server.execute("DROP DATABASE " + lagging);
    }
  }

  private void copyTables(String database) {
    for (String table : List.of("interlock_lock", "interlock_entry", "interlock_counter")) {
      String copy = database + "." + table;
      String original = server.database() + "." + table;
      server.execute("CREATE TABLE IF NOT EXISTS " + copy + " LIKE " + original);
      server.execute("DELETE FROM " + copy);
      server.execute("INSERT INTO " + copy + " SELECT * FROM " + original);
    }
  }

  private static RenewalResult renewed(TestClient client, String name, HoldId id) {
    return RenewalAnswers.collect(
            client.backend, List.of(Renewal.of(name, id, TestClient.LEASE, false)))
        .get(0);
  }

  private String uri() {
    return server.uri() + "?schema=create&namespace=" + namespace;
  }
}
