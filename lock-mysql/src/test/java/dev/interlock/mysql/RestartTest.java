package dev.interlock.mysql;

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
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Faults of the server itself, so on a server of its own. */
class RestartTest extends RestartContract {
  private static MysqlServer server;

  @BeforeAll
  static void begin() {
    server = TestMysql.builder().owned().option("max-connections", "40").start();
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
    return "com.mysql.";
  }

  @Test
  void d2_theOrderIsKeptEvenIfAllEntriesRanOutWhileTheServerWasAway() throws Exception {
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
      server.kill();
      server.start();
      server.execute("UPDATE interlock_entry SET until_us = until_us - 25000000");

      // The holder comes back first, while the others have not given a sign of life yet.
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> holder.release("a", held).held());
      assertIsNext(first, early);
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> first.release("a", early).held());
      assertIsNext(second, late);
    }
  }

  /** It may hear of its grant only after that is over, so it asks; who had it first is written. */
  private static void assertIsNext(TestClient client, HoldId id) {
    assertThat(server.execute("SELECT COUNT(*) FROM interlock_lock WHERE client = " + id.high()
            + " AND hold = " + id.low()))
        .isEqualTo("1");
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> client.attempt("a", id, Duration.ofMinutes(1)) instanceof Grant);
  }

  /** Of an account that may not write where read_only is set. */
  private static String plainUri() {
    String uri = Server.uri(server);
    Locks.open(uri).close();
    server.execute("CREATE USER IF NOT EXISTS plain IDENTIFIED BY 'plain'");
    server.execute("GRANT ALL ON " + server.database() + ".* TO plain");
    return uri.replace(server.user() + ":" + server.password() + "@", "plain:plain@");
  }

  /** On a replica it would hear of nothing, and read what lags behind. */
  @Test
  void p2_aServerThatBecomesReadOnlyIsNotListenedOnAnyMore() {
    try (TestClient client = Server.client(plainUri())) {
      Server.awaitListening(client);
      String before = listener(client);
      server.execute("SET GLOBAL read_only = 1");
      Awaitility.await()
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(6))
          .until(() -> !CountedHoldsTest.listens(client));
      server.execute("SET GLOBAL read_only = 0");
      Awaitility.await().until(() -> CountedHoldsTest.listens(client));
      assertThat(listener(client)).isNotEqualTo(before);
    } finally {
      server.execute("SET GLOBAL read_only = 0");
    }
  }

  private static String listener(TestClient client) {
    return server.execute("SELECT IS_USED_LOCK('interlock." + client.id().high() + "')");
  }

  @Test
  void e3_aReadOnlyServerIsReportedAsSuchAndTheClientRecovers() throws Exception {
    try (LockClient client = Locks.open(plainUri())) {
      client.acquire(LockRequest.of("a")).release();
      server.execute("SET GLOBAL read_only = 1");
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("a")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("read-only");
      server.execute("SET GLOBAL read_only = 0");
      client.acquire(LockRequest.of("a")).release();
    } finally {
      server.execute("SET GLOBAL read_only = 0");
    }
  }

  /** This account may write on a read-only server, and replicas are read-only. */
  @Test
  void x2_ofSeveralServersNoneServesThatIsReadOnly() throws Exception {
    Locks.open(Server.uri(server)).close();
    String uri = Server.uri(server).replace("@", "@127.0.0.1:1,") + "&connectTimeout=PT1S";
    server.execute("SET GLOBAL read_only = 1");
    try {
      assertThatThrownBy(() -> Locks.open(uri))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("127.0.0.1:1: ")
          .hasMessageContaining("read-only");
    } finally {
      server.execute("SET GLOBAL read_only = 0");
    }
    try (LockClient client = Locks.open(uri)) {
      client.acquire(LockRequest.of("a")).release();
    }
  }
}
