package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of the server itself, so on a server of its own. */
@Tag("thorough")
@Timeout(90)
class RestartTest {
  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = TestPostgres.builder().owned().option("max_connections", "40").start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Test
  void d1d2t2_holdAndQueueSurviveAKilledServerAndTokensGoOnRising() throws Exception {
    String uri = Server.uri(server);
    try (LockClient holder = Locks.open(uri);
        LockClient waiters = Locks.open(uri)) {
      Lease held = holder.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(2)));
      Queue<Integer> order = new ConcurrentLinkedQueue<>();
      Queue<Long> tokens = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        all.add(waiters.acquireAsync(LockRequest.of("a")).thenAccept(lease -> {
          order.add(number);
          tokens.add(lease.fencingToken());
          lease.release();
        }));
        int queued = i + 1;
        Awaitility.await()
            .pollInterval(Duration.ofMillis(2))
            .until(() -> holder.inspect("a").orElseThrow().waiters() == queued);
      }
      server.kill();
      server.start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(15))
          .ignoreExceptions()
          .until(() -> holder.inspect("a").isPresent());
      assertThat(holder.inspect("a").orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
      assertThat(order).isEmpty();
      assertThat(held.isValid()).isTrue();
      held.release();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      assertThat(order).containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
      assertThat(new ArrayList<>(tokens)).isSorted().allMatch(token -> token > held.fencingToken());
    }
  }

  @Test
  void d1d2_readersAndTheQueueBehindThemSurviveAKilledServer() throws Exception {
    String uri = Server.uri(server);
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      LockRequest writer = LockRequest.of("r").withLease(Duration.ofMinutes(2));
      Lease first = one.acquire(writer.shared());
      Lease second = two.acquire(writer.shared());
      CompletableFuture<Lease> writing = one.acquireAsync(writer);
      Awaitility.await().until(() -> two.inspect("r").orElseThrow().waiters() == 1);
      CompletableFuture<Lease> reading = two.acquireAsync(writer.shared());
      Awaitility.await().until(() -> two.inspect("r").orElseThrow().waiters() == 2);
      server.kill();
      server.start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> one.inspect("r").isPresent());
      assertThat(one.inspect("r").orElseThrow().others()).hasSize(1);
      first.release();
      assertThat(writing).isNotDone();
      second.release();
      Lease written = writing.get(30, TimeUnit.SECONDS);
      assertThat(reading).isNotDone();
      written.release();
      Lease read = reading.get(30, TimeUnit.SECONDS);
      assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
      read.release();
    }
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

  @Test
  void e3_tooManyConnectionsAreReportedAsSuch() {
    String uri = Server.uri(server);
    List<LockClient> clients = new ArrayList<>();
    try {
      assertThatThrownBy(() -> {
            for (int i = 0; i < 60; i++) {
              clients.add(Locks.open(uri));
              clients.get(i).tryAcquire(LockRequest.of("n" + i));
            }
          })
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("too many");
    } finally {
      clients.forEach(LockClient::close);
    }
  }

  @Test
  void w4_aStalledServerEndsAWaitInTimeAndTheClientRecovers() throws Exception {
    try (LockClient client = Locks.open(Server.uri(server) + "&timeout=PT1S")) {
      client.acquire(LockRequest.of("a")).release();
      server.pause();
      long start = System.nanoTime();
      try {
        assertThatThrownBy(
                () -> client.acquire(LockRequest.of("a").withWait(Duration.ofMillis(500))))
            .isInstanceOf(LockException.class)
            .isNotInstanceOf(dev.interlock.LockTimeoutException.class);
      } finally {
        server.resume();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
      client.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(20))).release();
    }
  }
}
