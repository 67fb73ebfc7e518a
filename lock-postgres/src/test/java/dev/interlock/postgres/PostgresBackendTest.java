package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PostgresBackendTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String uri = Server.uri();
  private TestClient one;
  private TestClient two;

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
    FutureTask<AttemptResult> second = new FutureTask<>(() -> two.attempt("a", waiter, PATIENCE));
    try (Connection outside = connect();
        Statement statement = outside.createStatement()) {
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM interlock_lock WHERE client = " + held.high()
          + " AND hold = " + held.low() + " FOR UPDATE");
      new Thread(first).start();
      new Thread(second).start();
      Awaitility.await().until(() -> waitingForRowLock() == 2);
      outside.rollback();
    }
    assertThat(first.get(10, TimeUnit.SECONDS)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(second.get(10, TimeUnit.SECONDS)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(Server.shared()
            .execute("SELECT COUNT(*) FROM interlock_entry WHERE client = " + waiter.high()))
        .isEqualTo("1");
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(1);
  }

  private static int waitingForRowLock() {
    return Integer.parseInt(Server.shared()
        .execute("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE '%interlock_attempt(%'"));
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

    assertThat(two.grants.poll(5, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(waiter);
    assertThat(two.release("a", waiter).held()).isTrue();
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  @Test
  void f4_aClientThatDoesNotConfirmIsPassedOverWithAllItsWaiters() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    try (TestClient dead = Server.client(uri)) {
      for (int i = 0; i < 5; i++) {
        dead.attempt("a", dead.id(), PATIENCE);
      }
    }
    HoldId waiter = two.id();
    two.attempt("a", waiter, PATIENCE);
    long start = System.nanoTime();
    one.release("a", held);
    Awaitility.await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> two.attempt("a", waiter, PATIENCE) instanceof Grant);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
  }

  @Test
  void m2_aVictimInAnotherClientIsToldAtOnce() throws Exception {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = one.id();
    one.attempt("a", waiter, PATIENCE); // so that it listens

    long token = two.backend.inspect("a").orElseThrow().fencingToken();
    assertThat(two.backend.forceRelease("a", token)).isTrue();
    assertThat(two.backend.forceRelease("a", token)).isFalse();

    assertThat(one.revoked.poll(5, TimeUnit.SECONDS)).isEqualTo(held);
    assertThat(one.grants.poll(5, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(waiter);
  }

  @Test
  void t2_tokensGoOnRisingWhenTheRowWasRemovedAndTheClockWasSetBack() {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    long token = one.backend.inspect("a").orElseThrow().fencingToken();
    one.release("a", held);
    long far = token + 3_600_000_000L;
    Server.shared().execute("UPDATE interlock_lock SET last_token = " + far);
    for (int i = 0; i < 3_000; i++) { // far more names than free rows are kept
      HoldId id = one.id();
      one.attempt("n" + i, id, Duration.ZERO);
      one.release("n" + i, id);
    }
    assertThat(Long.parseLong(Server.shared().execute("SELECT COUNT(*) FROM interlock_lock")))
        .isLessThanOrEqualTo(64 * 17);
    assertThat(one.attempt("a", one.id(), Duration.ZERO))
        .isInstanceOfSatisfying(
            Grant.class, granted -> assertThat(granted.fencingToken()).isGreaterThan(far));
  }

  @Test
  void e9_aBatchIsAnsweredItemByItem() {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    HoldId waiter = one.id();
    one.attempt("a", waiter, PATIENCE);
    Duration lease = TestClient.LEASE;
    assertThat(dev.interlock.spi.RenewalAnswers.collect(
            one.backend,
            List.of(
                dev.interlock.spi.Renewal.of("z", one.id(), lease, false),
                dev.interlock.spi.Renewal.of("a", held, lease, false),
                dev.interlock.spi.Renewal.of("a", waiter, lease, true),
                dev.interlock.spi.Renewal.of("a", one.id(), lease, true))))
        .extracting(result -> result.getClass().getSimpleName())
        .containsExactly("Gone", "Grant", "Queued", "Gone");
  }
}
