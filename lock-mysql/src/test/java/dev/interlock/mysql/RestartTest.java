package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of the server itself, so on a server of its own. */
@Tag("thorough")
@Timeout(90)
class RestartTest {
  private static MysqlServer server;

  @BeforeAll
  static void start() {
    server = TestMysql.builder().owned().option("max-connections", "40").start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Test
  void d1d2_holdAndQueueSurviveAKilledServerAndTokensGoOnRising() throws Exception {
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

  @Test
  void e3_nobodyWaitsForConnectionsToAServerThatIsGoneAndAllGoesOnOnceItIsBack() throws Exception {
    String uri = Server.uri(server);
    // Far more than may pass, so that waiting for a connection would show.
    try (LockClient client = Locks.open(uri + "&connectTimeout=PT20S")) {
      Lease held = client.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(2)));
      server.kill();
      // The connections that are open find out first, and then what they sent may have arrived.
      Awaitility.await()
          .pollInterval(Duration.ofMillis(20))
          .during(Duration.ofSeconds(6))
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> {
            assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("b")))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
            assertThatThrownBy(() -> client.inspect("a")).isInstanceOf(LockException.class);
            LockRequest patient = LockRequest.of("b").withWait(Duration.ofMillis(100));
            assertThatThrownBy(() -> client.acquire(patient))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
          });
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("b")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("no connection");
      server.start();
      // After as long an outage a pool by itself pauses for 5 s.
      Awaitility.await()
          .atMost(Duration.ofSeconds(2))
          .ignoreExceptions()
          .until(() -> client.inspect("a").isPresent());
      client.acquire(LockRequest.of("b")).release();
      held.release();
    }
  }

  @Test
  void e3_aReadOnlyServerIsReportedAsSuchAndTheClientRecovers() throws Exception {
    String uri = Server.uri(server);
    Locks.open(uri).close();
    server.execute("CREATE USER IF NOT EXISTS plain IDENTIFIED BY 'plain'");
    server.execute("GRANT ALL ON " + server.database() + ".* TO plain");
    String plain = uri.replace(server.user() + ":" + server.password() + "@", "plain:plain@");
    try (LockClient client = Locks.open(plain)) {
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

  @Test
  void e3_tooManyConnectionsAreReportedAsSuch() {
    String uri = Server.uri(server);
    List<LockClient> clients = new ArrayList<>();
    try {
      assertThatThrownBy(() -> {
            for (int i = 0; i < 60; i++) {
              clients.add(Locks.open(uri));
            }
          })
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("too many connections");
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
            .isInstanceOf(dev.interlock.LockException.class)
            .isNotInstanceOf(dev.interlock.LockTimeoutException.class);
      } finally {
        server.resume();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
      client.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(20))).release();
    }
  }

  @Undisturbed(millis = 300)
  void w4_anAttemptBehindOneWithoutAnAnswerDoesNotWaitForOneOfItsOwn() throws Exception {
    try (LockClient client = Locks.open(Server.uri(server) + "&timeout=PT3S")) {
      LockRequest request = LockRequest.of("b").withWait(Duration.ofMillis(300));
      client.acquire(request).release(); // from here on the pool does not look at its connection
      server.pause();
      FutureTask<Lease> first = new FutureTask<>(() -> client.acquire(request));
      FutureTask<Lease> second = new FutureTask<>(() -> client.acquire(request));
      long start = System.nanoTime();
      try {
        Thread asking = new Thread(first);
        asking.start();
        Awaitility.await()
            .pollInterval(Duration.ofMillis(5))
            .until(() -> Stream.of(asking.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith("com.mysql.")));
        new Thread(second).start();
        assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
            .hasCauseInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("not asked for, since an earlier attempt failed");
      } finally {
        server.resume();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      assertThatThrownBy(first::get).hasCauseInstanceOf(LockException.class);
      client.acquire(request.withWait(Duration.ofSeconds(20))).release();
    }
  }
}
