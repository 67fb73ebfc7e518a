package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody keeps the row of a lock locked, as an operator does who forgets to commit. */
@Timeout(60)
class LockedRowTest {
  private final PostgresServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final String uri = server.uri() + "?schema=create&namespace=" + namespace;

  private Connection operator;

  @BeforeEach
  void open() throws SQLException {
    operator = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
    operator.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    operator.close();
  }

  @Test
  void n8_theOtherHoldsAreRenewedMeanwhile() throws Exception {
    try (TestClient client = Server.client(uri + "&timeout=PT1M")) {
      List<Renewal> batch = new ArrayList<>();
      for (String name : List.of("a", "b", "c", "gone")) {
        HoldId held = client.id();
        client.attempt(name, held, Duration.ZERO);
        batch.add(Renewal.of(name, held, TestClient.LEASE, false));
      }
      server.execute("DELETE FROM interlock_lock WHERE lock_key = '" + namespace + ":gone'");
      lockRow("b");
      Map<String, RenewalResult> answers = new ConcurrentHashMap<>();
      CompletableFuture<Void> renewal = CompletableFuture.runAsync(
          () ->
              client.backend.renew(batch, (renewed, result) -> answers.put(renewed.name(), result)),
          task -> new Thread(task).start());
      Awaitility.await().until(() -> answers.size() == 3);
      assertThat(answers).containsOnlyKeys("a", "c", "gone");
      assertThat(answers.get("a")).isInstanceOf(Grant.class);
      assertThat(answers.get("c")).isInstanceOf(Grant.class);
      assertThat(answers.get("gone")).isInstanceOf(RenewalResult.Gone.class);
      operator.rollback();
      renewal.get(20, TimeUnit.SECONDS);
      assertThat(answers.get("b")).isInstanceOf(Grant.class);
    }
  }

  /** Of three that are locked, one is let go while the first is waited for, for five seconds. */
  @Test
  void n8_whoseRowIsFreeAgainWaitsForNoOther() throws Exception {
    try (TestClient holder = Server.client(uri);
        TestClient client = Server.client(uri + "&timeout=PT10S");
        Connection another =
            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
      List<Renewal> batch = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        HoldId held = client.id();
        client.attempt(name, held, Duration.ZERO);
        batch.add(Renewal.of(name, held, TestClient.LEASE, false));
      }
      HoldId waiter = client.id();
      holder.attempt("d", holder.id(), Duration.ZERO);
      client.attempt("d", waiter, Duration.ofSeconds(30));
      batch.add(Renewal.of("d", waiter, TestClient.LEASE, true));
      lockRow("a");
      lockRow("b");
      another.setAutoCommit(false);
      lockRow(another, "c");
      Queue<String> answered = new ConcurrentLinkedQueue<>();
      CompletableFuture<Void> renewal = CompletableFuture.runAsync(
          () -> client.backend.renew(batch, (renewed, result) -> {
            answered.add(renewed.name() + " " + result.getClass().getSimpleName());
          }),
          task -> new Thread(task).start());
      Awaitility.await()
          .until(() -> !server
              .execute("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                  + " AND application_name LIKE 'interlock-%'")
              .equals("0"));
      another.rollback();
      renewal.get(40, TimeUnit.SECONDS);
      assertThat(answered).containsExactly("a Failed", "c Grant", "d Queued", "b Failed");
    }
  }

  /** One wait for each of them would cost many leases, also if the row is only busy. */
  @Test
  void n8_theReadersOfALockWaitForItsRowOnce() throws Exception {
    try (TestClient client = Server.client(uri + "&timeout=PT4S")) {
      List<Renewal> batch = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        HoldId reader = client.id();
        client.backend.attempt(
            Attempt.of("a", reader, "reader " + i, TestClient.LEASE).withUnits(1, 20));
        batch.add(Renewal.of("a", reader, TestClient.LEASE, false));
      }
      lockRow("a");
      List<RenewalResult> answers = new ArrayList<>();
      long before = System.nanoTime();
      client.backend.renew(batch, (renewed, result) -> answers.add(result));
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isLessThan(Duration.ofSeconds(20)); // four each
      assertThat(answers).hasSize(20).hasOnlyElementsOfType(RenewalResult.Failed.class);
    }
  }

  @Test
  void n8_theOtherWaitersKeepTheirPlaces() throws Exception {
    try (TestClient holder = Server.client(uri);
        TestClient client = Server.client(uri + "&timeout=PT2S")) {
      List<Renewal> batch = new ArrayList<>();
      for (String name : List.of("a", "b")) {
        HoldId waiter = client.id();
        holder.attempt(name, holder.id(), Duration.ZERO);
        client.attempt(name, waiter, Duration.ofSeconds(30));
        batch.add(Renewal.of(name, waiter, TestClient.LEASE, true));
      }
      // One that is fresh is only read.
      server.execute("UPDATE interlock_entry SET until_us = until_us - 5000000 WHERE client = "
          + client.id().high());
      lockRow("a");
      assertThat(RenewalAnswers.collect(client.backend, batch))
          .extracting(result -> result.getClass().getSimpleName())
          .containsExactly("Failed", "Queued");
    }
  }

  @Undisturbed(millis = 1000)
  void e3_anAttemptThatGivesUpLeavesNoSessionBehindThatWaitsOn() throws Exception {
    String id = Server.freshClientId();
    try (TestClient holder = Server.client(uri);
        TestClient client = Server.client(uri + "&timeout=PT4S", id)) {
      holder.attempt("a", holder.id(), Duration.ZERO);
      lockRow("a");
      assertThatThrownBy(() -> client.attempt("a", client.id(), Duration.ZERO))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("55P03");
      assertThat(server.execute("SELECT COUNT(*) FROM pg_stat_activity"
              + " WHERE wait_event_type = 'Lock' AND application_name = 'interlock-" + id + "'"))
          .isEqualTo("0");
    }
  }

  /** From version 17 on; older ones do not know the setting. */
  @Test
  void e3_aSessionThatTheServerEndsMeanwhileIsReplaced() throws Exception {
    assumeThat(Integer.parseInt(server.execute("SHOW server_version_num"))).isGreaterThan(170_000);
    String account = "short_" + namespace;
    server.execute("CREATE ROLE " + account + " SUPERUSER LOGIN PASSWORD 'short'");
    server.execute("ALTER ROLE " + account + " SET transaction_timeout = '2s'");
    String own = uri.replaceFirst("//[^@]*@", "//" + account + ":short@");
    try (TestClient holder = Server.client(uri);
        TestClient client = Server.client(own + "&timeout=PT1M")) {
      holder.attempt("a", holder.id(), Duration.ZERO);
      lockRow("a");
      assertThatThrownBy(() -> client.attempt("a", client.id(), Duration.ZERO))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("due to transaction timeout");
      operator.rollback();
      // That of a busy machine may be ended as well.
      Awaitility.await()
          .ignoreException(OutcomeUnknownException.class)
          .untilAsserted(() -> assertThat(client.attempt("a", client.id(), Duration.ZERO))
              .isInstanceOf(AttemptResult.Busy.class));
    } finally {
      server.execute("DROP ROLE " + account);
    }
  }

  private void lockRow(String name) throws SQLException {
    lockRow(operator, name);
  }

  private void lockRow(Connection by, String name) throws SQLException {
    try (Statement statement = by.createStatement()) {
      statement.execute("SELECT * FROM interlock_lock WHERE lock_key = '" + namespace + ":" + name
          + "' FOR UPDATE");
    }
  }
}
