package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfigurationException;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An account that lacks a single right: what is done without it, and what callers are told. */
@Timeout(60)
class MissingRightsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Executor OWN_THREAD = task -> new Thread(task).start();

  private final PostgresServer server = Server.shared();
  private final String database = Server.freshNamespace();
  private final String account = "a" + database;
  private TestClient one;
  private TestClient two;

  @BeforeEach
  void createAccount() throws SQLException {
    server.execute("CREATE DATABASE " + database);
    Locks.open(uri(server.user(), server.password()) + "?schema=create").close();
    execute("CREATE ROLE " + account + " LOGIN PASSWORD 'least'");
    execute("GRANT SELECT, INSERT, UPDATE, DELETE ON interlock_lock, interlock_entry,"
        + " interlock_counter TO " + account);
    one = Server.client(uri(account, "least"));
    two = Server.client(uri(account, "least"));
  }

  @AfterEach
  void dropAccount() {
    one.close();
    two.close();
    server.execute("DROP DATABASE " + database + " WITH (FORCE)");
    server.execute("DROP ROLE " + account);
  }

  @Test
  void e3_aReleaseIsDoneWithoutTheAttemptsForWhichARightIsMissing() throws Exception {
    revoke("interlock_append");
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    try (Connection outside = connect();
        Statement statement = outside.createStatement()) {
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM interlock_lock FOR UPDATE");
      CompletableFuture<?> first = start(() -> one.attempt("a", one.id(), PATIENCE));
      Awaitility.await().until(() -> rowLocksAwaited() == 1);
      Thread[] gathering = new Thread[2];
      CompletableFuture<?> attempt = start(() -> {
        gathering[0] = Thread.currentThread();
        return one.attempt("a", one.id(), PATIENCE);
      });
      CompletableFuture<ReleaseResult> release = start(() -> {
        gathering[1] = Thread.currentThread();
        return one.release("a", held);
      });
      Awaitility.await().until(() -> isParked(gathering[0]) && isParked(gathering[1]));
      outside.rollback();

      assertThat(release.get(10, TimeUnit.SECONDS).held()).isTrue();
      first.get(10, TimeUnit.SECONDS);
      assertThatThrownBy(() -> attempt.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("permission denied for function interlock_append");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"interlock_operate", "interlock_release_all"})
  void e3_aReleaseThatIsNotAllowedIsToldAsSuchAndTheHoldStays(String routine) throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    two.attempt("a", two.id(), PATIENCE);
    revoke(routine);
    assertThatThrownBy(() -> one.release("a", held))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("permission denied for")
        .hasMessageContaining(routine);
    assertThat(query("SELECT hold FROM interlock_lock WHERE until_us > interlock_now()"))
        .isEqualTo(Long.toString(held.low()));
  }

  @Test
  void e2_aReleaseOfWhichTheNextMayNotBeToldStands() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    two.attempt("a", two.id(), PATIENCE);
    revoke("pg_notify");
    assertThatThrownBy(() -> one.release("a", held))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("permission denied for function pg_notify");
    assertThat(one.release("a", held).held()).as("repeated").isFalse();
  }

  private void revoke(String routine) throws SQLException {
    execute("REVOKE EXECUTE ON ROUTINE " + routine + " FROM PUBLIC");
  }

  private static boolean isParked(Thread thread) {
    return thread != null && thread.getState() == Thread.State.WAITING;
  }

  private static <T> CompletableFuture<T> start(java.util.function.Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, OWN_THREAD);
  }

  private int rowLocksAwaited() {
    return Integer.parseInt(
        server.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = '" + database + "'"));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/" + database,
        server.user(),
        server.password());
  }

  private String uri(String user, String password) {
    return "postgres://" + user + ":" + password + "@" + server.host() + ":" + server.port() + "/"
        + database;
  }
}
