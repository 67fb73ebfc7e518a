package dev.interlock.postgres.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendRefusedException;
import dev.interlock.contract.TestClient;
import dev.interlock.postgres.Server;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PostgresBackendTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String uri = Server.uri();
  private TestClient one;
  private TestClient two;

  private final Map<FutureTask<?>, Thread> threads = new ConcurrentHashMap<>();

  @BeforeEach
  void open() {
    one = Server.client(uri);
    two = Server.client(uri);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  /**
   * The row lock is held from outside until both calls stand before it. An answer that is decided
   * by what was read before the wait for the row lock makes two entries.
   */
  @Test
  void e1_twoOverlappingAttemptsOfOneWaiterMakeOneEntry() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = two.id();
    FutureTask<AttemptResult> first = new FutureTask<>(() -> two.attempt("a", waiter, PATIENCE));
    // One backend would have one transaction after the other.
    TestClient again = Server.client(uri, HexFormat.of().toHexDigits(waiter.high()));
    FutureTask<AttemptResult> second = new FutureTask<>(() -> again.attempt("a", waiter, PATIENCE));
    try (again;
        Connection outside = connect();
        Statement statement = outside.createStatement()) {
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM interlock_lock WHERE client = " + held.high()
          + " AND hold = " + held.low() + " FOR UPDATE");
      new Thread(first).start();
      new Thread(second).start();
      Awaitility.await().until(() -> waitingForRowLock() == 2);
      outside.rollback();
      assertThat(first.get(10, TimeUnit.SECONDS)).isInstanceOf(AttemptResult.Queued.class);
      assertThat(second.get(10, TimeUnit.SECONDS)).isInstanceOf(AttemptResult.Queued.class);
    }
    assertThat(Server.shared()
            .execute("SELECT COUNT(*) FROM interlock_entry WHERE client = " + waiter.high()))
        .isEqualTo("1");
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(1);
  }

  private static int waitingForRowLock() {
    return Integer.parseInt(Server.shared()
        .execute("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE '%interlock_operate(%'"));
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(
        Server.shared().jdbcUrl(), Server.shared().user(), Server.shared().password());
  }

  @Test
  void e2_aRepeatedReleaseFindsNothingAndSparesTheSuccessor() throws Exception {
    HoldId held = one.id();
    HoldId waiter = two.id();
    one.attempt("a", held, Duration.ZERO);
    two.attempt("a", waiter, PATIENCE);

    assertThat(one.release("a", held).held()).isTrue();
    assertThat(one.release("a", held).held()).isFalse();

    assertThat(two.granted("a", waiter, PATIENCE)).extracting(Grant::id).isEqualTo(waiter);
    assertThat(two.release("a", waiter).held()).isTrue();
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  @Test
  void f4_aClientThatDoesNotConfirmIsPassedOverWithAllItsWaiters() {
    // The machine or the server may stand still meanwhile, but not each time.
    assertThat(Stream.of("a", "b", "c").map(this::timeToPassOver))
        .as("one of three")
        .anyMatch(time -> time.compareTo(Duration.ofSeconds(4)) < 0);
  }

  private Duration timeToPassOver(String name) {
    HoldId held = one.id();
    one.attempt(name, held, Duration.ZERO);
    try (TestClient dead = Server.client(uri)) {
      for (int i = 0; i < 5; i++) {
        dead.attempt(name, dead.id(), PATIENCE);
      }
    }
    HoldId waiter = two.id();
    two.attempt(name, waiter, PATIENCE);
    long start = System.nanoTime();
    one.release(name, held);
    Awaitility.await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> two.attempt(name, waiter, PATIENCE) instanceof Grant);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** An attempt does not wait long for it: a waiter that is not told looks more often. */
  private static void awaitListening(TestClient client) {
    Awaitility.await().until(() -> Server.isListening(client));
  }

  @Test
  void m2_aVictimInAnotherClientIsToldAtOnce() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = one.id();
    one.attempt("a", waiter, PATIENCE); // so that it listens
    awaitListening(one);

    long token = two.backend.inspect("a").orElseThrow().fencingToken();
    assertThat(two.backend.forceRelease("a", token)).isTrue();
    assertThat(two.backend.forceRelease("a", token)).isFalse();

    assertThat(one.revoked.poll(5, TimeUnit.SECONDS)).isEqualTo(held);
    assertThat(one.grants.poll(5, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(waiter);
  }

  @Test
  void e9_aBatchIsAnsweredItemByItem() {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = one.id();
    one.attempt("a", waiter, PATIENCE);
    Duration lease = TestClient.LEASE;
    assertThat(RenewalAnswers.collect(
            one.backend,
            List.of(
                Renewal.of("z", one.id(), lease, false),
                Renewal.of("a", held, lease, false),
                Renewal.of("a", waiter, lease, true),
                Renewal.of("a", one.id(), lease, true))))
        .extracting(result -> result.getClass().getSimpleName())
        .containsExactly("Gone", "Grant", "Queued", "Gone");
  }

  /** Its counter is at its end, so that there is no token for who waits. */
  @Test
  void e9_aLockThatCannotBeServedKeepsNoOtherFromBeingRenewed() {
    HoldId gone = one.id();
    one.attempt("a", gone, Duration.ZERO);
    HoldId first = one.id();
    one.attempt("a", first, PATIENCE);
    HoldId held = one.id();
    one.attempt("b", held, Duration.ZERO);
    HoldId waiter = one.id();
    one.attempt("b", waiter, PATIENCE);
    Server.shared()
        .execute("UPDATE interlock_lock SET until_us = 1, last_token = " + Long.MAX_VALUE
            + " WHERE client = " + gone.high() + " AND hold = " + gone.low());
    Duration lease = TestClient.LEASE;
    assertThat(RenewalAnswers.collect(
            one.backend,
            List.of(
                Renewal.of("a", gone, lease, false),
                Renewal.of("a", first, lease, true),
                Renewal.of("b", held, lease, false),
                Renewal.of("b", waiter, lease, true))))
        .extracting(result -> result.getClass().getSimpleName())
        .containsExactly("Failed", "Failed", "Grant", "Queued");
    // Or else the counter of its bucket, which other locks have too, would be at its end one day.
    Server.shared().execute("DELETE FROM interlock_lock WHERE last_token = " + Long.MAX_VALUE);
  }

  @Test
  void f1_aGrantNamesThoseBehindItOfItsClientAndNobodyBeyondAStranger() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    List<HoldId> run = waiters(two, 3);
    HoldId stranger = one.id();
    one.attempt("a", stranger, PATIENCE);
    HoldId last = two.id();
    two.attempt("a", last, PATIENCE);
    awaitListening(one);
    awaitListening(two);

    one.release("a", held);
    Grant first = two.grants.poll(5, TimeUnit.SECONDS);
    assertThat(first).isNotNull();
    assertThat(first.id()).isEqualTo(run.get(0));
    assertThat(first.heirs()).isEqualTo(run.subList(1, 3));
    assertThat(first.tokens()).isEqualTo(3);

    // The two behind have had the lock within their client.
    HandOffBackend.release(two.backend, Release.of("a", run.get(0)).withPassed(run.subList(1, 3)));
    Grant next = one.grants.poll(5, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    assertThat(next.id()).isEqualTo(stranger);
    assertThat(next.heirs()).isEmpty();
    assertThat(next.fencingToken()).isGreaterThan(first.fencingToken() + 2);
    one.release("a", stranger);
    assertThat(two.grants.poll(5, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(last);
  }

  @Test
  void f1_anExpiredLockGoesToTheQueueAndNotToWhoComesThen() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = two.id();
    two.attempt("a", waiter, PATIENCE);
    Server.shared().execute("UPDATE interlock_lock SET until_us = 1 WHERE client = " + held.high());

    assertThat(one.attempt("a", one.id(), Duration.ZERO)).isInstanceOf(AttemptResult.Busy.class);
    assertThat(two.granted("a", waiter, PATIENCE)).extracting(Grant::id).isEqualTo(waiter);
  }

  @Test
  void f1_aReleaseNamesTheHeirsInItsAnswerAndQueuesTheNextBehindThem() {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    List<HoldId> run = waiters(one, 40);
    HoldId next = one.id();

    ReleaseResult result = HandOffBackend.release(
        one.backend,
        Release.of("a", held)
            .withNext(Attempt.of("a", next, "owner", TestClient.LEASE).withPatience(PATIENCE)));

    assertThat(result.held()).isTrue();
    assertThat(result.granted()).extracting(Grant::id).isEqualTo(run.get(0));
    assertThat(result.granted()).extracting(Grant::heirs).isEqualTo(run.subList(1, 32));
    assertThat(result.next()).isInstanceOf(AttemptResult.Queued.class);
    assertThat(Server.shared()
            .execute("SELECT hold FROM interlock_entry WHERE client = " + next.high()
                + " ORDER BY ticket DESC LIMIT 1"))
        .isEqualTo(Long.toString(next.low()));
  }

  @Test
  void e2_aReleaseThatFindsNothingAttemptsNothing() {
    HoldId next = one.id();
    one.attempt("a", one.id(), Duration.ZERO);

    ReleaseResult result = HandOffBackend.release(
        one.backend,
        Release.of("a", one.id())
            .withNext(Attempt.of("a", next, "owner", TestClient.LEASE).withPatience(PATIENCE)));

    assertThat(result.held()).isFalse();
    assertThat(result.next()).isNull();
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isZero();
  }

  /**
   * The row lock is held from outside until all of them stand before it or behind one that does.
   */
  @Test
  void f1_whatGathersBehindATransactionGoesAlongInTheNextReleasesFirst() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    List<FutureTask<?>> calls = new ArrayList<>();
    try (Connection outside = connect();
        Statement statement = outside.createStatement()) {
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM interlock_lock WHERE client = " + held.high()
          + " AND hold = " + held.low() + " FOR UPDATE");
      calls.add(started(() -> one.attempt("a", one.id(), PATIENCE)));
      Awaitility.await().until(() -> waitingForRowLock() == 1);
      for (int i = 0; i < 5; i++) {
        calls.add(started(() -> one.attempt("a", one.id(), PATIENCE)));
      }
      calls.add(started(() -> one.release("a", held)));
      Awaitility.await().until(() -> calls.stream().skip(1).allMatch(this::parked));
      outside.rollback();
      for (FutureTask<?> call : calls) {
        call.get(10, TimeUnit.SECONDS);
      }
    }
    // One transaction for the first attempt, one for all the others.
    assertThat(Server.shared()
            .execute("SELECT COUNT(DISTINCT xmin::text) FROM interlock_entry WHERE client = "
                + held.high()))
        .isEqualTo("1");
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(5);
  }

  /** An attempt needs room for its entry, which a release does not. */
  @Test
  void e10_aReleaseIsDoneWithoutTheAttemptsThatAreRefused() throws Exception {
    String prefix = Server.freshNamespace() + "_interlock_";
    try (TestClient client = Server.client(uri + "&tablePrefix=" + prefix);
        Connection outside = connect();
        Statement statement = outside.createStatement()) {
      HoldId held = client.id();
      client.attempt("a", held, Duration.ZERO);
      statement.execute("CREATE FUNCTION " + prefix + "refuse() RETURNS trigger LANGUAGE plpgsql"
          + " AS $$ BEGIN RAISE 'no room' USING ERRCODE = '53100'; END $$");
      statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON " + prefix + "entry"
          + " FOR EACH ROW EXECUTE FUNCTION " + prefix + "refuse()");
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM " + prefix + "lock FOR UPDATE");
      FutureTask<?> first = started(() -> client.attempt("a", client.id(), PATIENCE));
      Awaitility.await().until(() -> waitingForRowLock() == 1);
      List<FutureTask<?>> attempts = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        attempts.add(started(() -> client.attempt("a", client.id(), PATIENCE)));
      }
      FutureTask<ReleaseResult> release = started(() -> client.release("a", held));
      Awaitility.await().until(() -> attempts.stream().allMatch(this::parked) && parked(release));
      outside.rollback();
      assertThat(release.get(10, TimeUnit.SECONDS).held()).isTrue();
      attempts.add(first);
      for (FutureTask<?> attempt : attempts) {
        assertThatThrownBy(() -> attempt.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(BackendRefusedException.class);
      }
    }
  }

  private <T> FutureTask<T> started(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task);
    threads.put(task, thread);
    thread.start();
    return task;
  }

  private boolean parked(FutureTask<?> task) {
    return threads.get(task).getState() == Thread.State.WAITING;
  }

  private static List<HoldId> waiters(TestClient client, int count) {
    List<HoldId> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      HoldId id = client.id();
      client.attempt("a", id, PATIENCE);
      ids.add(id);
    }
    return ids;
  }
}
