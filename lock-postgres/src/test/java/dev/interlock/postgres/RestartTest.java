package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.RestartContract;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Faults of the server itself, so on a server of its own. */
class RestartTest extends RestartContract {
  private static PostgresServer server;

  @BeforeAll
  static void begin() {
    server = TestPostgres.builder().owned().option("max_connections", "40").start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Override
  protected String uri() {
    return Server.uri(server);
  }

  @Override
  protected void kill() {
    server.kill();
  }

  @Override
  protected void start() {
    server.start();
  }

  @Override
  protected void pause() {
    server.pause();
  }

  @Override
  protected void resume() {
    server.resume();
  }

  @Override
  protected String driver() {
    return "org.postgresql.";
  }

  @Test
  void d2_theOrderIsKeptEvenIfAllEntriesRanOutWhileTheServerWasAway() throws Exception {
    assertOrderIsKept(() -> {
      server.kill();
      server.start();
    });
  }

  /** The first process goes on, so the time of its start does not tell that the server was away. */
  @Test
  void d2_soItIsAfterTheCrashOfASessionHasEndedAllOthers() throws Exception {
    Awaitility.await()
        .until(() -> ask("NOW() > PG_POSTMASTER_START_TIME() + INTERVAL '4 s'").equals("t"));
    assertOrderIsKept(() -> {
      long pid = Long.parseLong(
          ask("MIN(pid) FROM pg_stat_activity" + " WHERE application_name LIKE 'interlock-%'"));
      ProcessHandle session = ProcessHandle.of(pid).orElse(null);
      Assumptions.assumeTrue(session != null, "the server is a process of this machine");
      session.destroyForcibly();
      Awaitility.await().ignoreExceptions().until(() -> !session.isAlive());
    });
  }

  private static String ask(String what) {
    return server.execute("SELECT " + what);
  }

  /** The holder comes back first, while the others have not given a sign of life yet. */
  private static void assertOrderIsKept(Runnable outage) throws Exception {
    String uri = Server.uri(server);
    try (TestClient holder = Server.client(uri);
        TestClient first = Server.client(uri);
        TestClient second = Server.client(uri)) {
      HoldId held = holder.id();
      HoldId early = first.id();
      HoldId late = second.id();
      Duration patience = Duration.ofMinutes(1);
      holder.attempt("a", held, Duration.ZERO, Duration.ofMinutes(2));
      first.attempt("a", early, patience);
      second.attempt("a", late, patience);
      server.execute("UPDATE interlock_entry SET until_us = until_us - 25000000");
      outage.run();

      // Connected again, so that a grant is confirmed in time.
      for (TestClient client : List.of(second, first)) {
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .ignoreExceptions()
            .until(() -> !client.release("a", client.id()).held());
      }
      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .ignoreExceptions()
          .until(() -> holder.release("a", held).held());
      assertIsNext(first, early);
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> first.release("a", early).held());
      assertIsNext(second, late);
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> second.release("a", late).held());
    }
  }

  /** It confirms its grant, which a slow machine does not do in time; who had it is written. */
  private static void assertIsNext(TestClient client, HoldId id) {
    assertThat(ask(
            "COUNT(*) FROM interlock_lock WHERE client = " + id.high() + " AND hold = " + id.low()))
        .isEqualTo("1");
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> client.attempt("a", id, Duration.ofMinutes(1)) instanceof Grant);
  }

  @Test
  void e3_aReadOnlyServerIsReportedAsSuchAndTheClientRecovers() throws Exception {
    try (LockClient client = Locks.open(Server.uri(server))) {
      client.acquire(LockRequest.of("a")).release();
      readOnly("on");
      Awaitility.await()
          .untilAsserted(() -> assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("a")))
              .isInstanceOf(BackendUnavailableException.class)
              .hasMessageContaining("read-only"));
      readOnly("off");
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(() -> client.acquire(LockRequest.of("a")).release());
    } finally {
      readOnly("off");
    }
  }

  /** A standby refuses to write, and so does a primary that was demoted. */
  @Test
  void x2_ofSeveralServersNoneServesThatIsReadOnly() throws Exception {
    Locks.open(Server.uri(server)).close();
    String uri = Server.uri(server).replace("@", "@127.0.0.1:1,") + "&connectTimeout=PT1S";
    readOnly("on");
    try {
      Awaitility.await()
          .untilAsserted(() -> assertThatThrownBy(() -> Locks.open(uri))
              .isInstanceOf(BackendUnavailableException.class)
              .hasMessageContaining("127.0.0.1:1: "));
    } finally {
      readOnly("off");
    }
    Awaitility.await().ignoreExceptions().untilAsserted(() -> {
      try (LockClient client = Locks.open(uri)) {
        client.acquire(LockRequest.of("a")).release();
      }
    });
  }

  private static void readOnly(String value) {
    server.execute("ALTER SYSTEM SET default_transaction_read_only = " + value);
    server.execute("SELECT PG_RELOAD_CONF()");
  }
}
