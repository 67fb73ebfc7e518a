package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.statements.LockKey;
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
   * A client whose driver falls back to its first host between the two packets of a transaction,
   * once, and whose server has changed meanwhile: no transaction may go on without its row lock.
   */
  private final class Moved implements AutoCloseable {
    private final OddPool spare = new OddPool(server, server.database(), (usual, sql) -> usual);
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>();
    private final AtomicReference<String> moved = new AtomicReference<>("");
    private final Thread caller = Thread.currentThread();
    final TestClient client = OddPool.directClient(namespace, this::route);

    Moved() throws SQLException {}

    private Connection route(Connection usual, String sql) throws SQLException {
      if (Thread.currentThread() != caller) { // it listens for grants
        return usual;
      }
      boolean begins = sql.contains("START TRANSACTION") && !sql.contains("COMMIT AND");
      boolean second = begun.getAndSet(begins);
      Runnable task = second ? meanwhile.getAndSet(null) : null;
      if (task == null) {
        return usual;
      }
      usual.close();
      task.run();
      moved.set(sql);
      return spare.getConnection();
    }

    /** Of the next transaction. */
    void betweenPackets(Runnable task) {
      meanwhile.set(task);
    }

    /** The packet that went to another connection. */
    String packet() {
      return moved.get();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  @Test
  void x2_aHandOverWhoseSecondPacketGoesElsewhereChangesNothingAndIsRepeated() throws SQLException {
    try (TestClient other = Server.client(uri());
        Moved moved = new Moved()) {
      HoldId first = other.id();
      HoldId held = moved.client.id();
      HoldId waiter = other.id();
      HoldId heir = other.id();
      HoldId winner = other.id();
      Server.awaitListening(other); // or nobody would wake it
      other.attempt("a", first, NONE);
      moved.client.attempt("a", held, LONG);
      other.release("a", first);
      assertThat(moved.client.attempt("a", held, LONG)).isInstanceOf(Grant.class);
      other.attempt("a", waiter, LONG);
      other.attempt("a", heir, LONG); // or one packet would do
      moved.betweenPackets(() -> {
        other.backend.abandon("a", heir);
        other.backend.forceRelease("a");
        other.release("a", waiter);
        assertThat(other.attempt("a", winner, NONE)).isInstanceOf(Grant.class);
      });

      assertThat(moved.client.release("a", held)).isEqualTo(ReleaseResult.notHeld());
      assertThat(moved.packet()).contains("KILL QUERY");
      assertThat(renewed(other, "a", winner)).isInstanceOf(Grant.class);
    }
  }

  @Test
  void x2_aTransactionWhoseSecondPacketGoesElsewhereChangesNothingAndIsRepeated()
      throws SQLException {
    try (TestClient other = Server.client(uri());
        Moved moved = new Moved()) {
      HoldId held = moved.client.id();
      HoldId waiter = moved.client.id();
      HoldId winner = other.id();
      moved.client.attempt("a", held, NONE);
      moved.client.attempt("a", waiter, LONG); // of the same client: there is nobody to wake
      moved.betweenPackets(() -> {
        other.backend.abandon("a", waiter);
        other.backend.forceRelease("a");
        assertThat(other.attempt("a", winner, NONE)).isInstanceOf(Grant.class);
      });

      assertThat(moved.client.release("a", held)).isEqualTo(ReleaseResult.notHeld());
      assertThat(moved.packet()).contains("COMMIT").doesNotContain("KILL QUERY");
      assertThat(renewed(other, "a", winner)).isInstanceOf(Grant.class);
    }
  }

  @Test
  void t1_theFirstTransactionOfALockGoesOnFromTheCounterThatItHasLocked() throws SQLException {
    try (Moved moved = new Moved()) {
      long ahead = 4_000_000_000_000_000L; // of the server's clock, which tokens follow as well
      moved.betweenPackets(() ->
          server.execute("UPDATE " + server.database() + ".interlock_counter SET last_token = "
              + ahead + " WHERE bucket = " + LockKey.of(namespace, "a").bucket()));

      Grant grant = (Grant) moved.client.attempt("a", moved.client.id(), NONE);
      assertThat(moved.packet()).contains("INSERT INTO interlock_lock");
      assertThat(grant.fencingToken()).isGreaterThan(ahead);
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
