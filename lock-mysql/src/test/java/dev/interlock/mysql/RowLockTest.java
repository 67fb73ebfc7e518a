package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Micros;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What must wait for the row lock, and what it sees once it has it. */
@Timeout(60)
class RowLockTest {
  private static final Duration NONE = Duration.ZERO;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final MysqlServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final String uri = server.uri() + "?schema=create&namespace=" + namespace;
  private TestClient one;
  private TestClient two;

  /** Of this test, so that it decides for how long a row is locked. */
  private Connection transition;

  @BeforeEach
  void open() throws SQLException {
    one = Server.client(uri);
    two = Server.client(uri);
    transition = new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
    transition.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    transition.close();
    one.close();
    two.close();
  }

  @Undisturbed(millis = 300)
  void e1_aRepetitionThatOverlapsItsOriginalStandsInTheQueueOnce() throws Exception {
    // Over another connection, as after a lost reply.
    try (TestClient again = Server.client(uri, one.clientId())) {
      two.attempt("a", two.id(), NONE);
      // So that they queue at once.
      one.attempt("a", one.id(), LONG);
      again.attempt("a", new HoldId(1, 1), LONG);
      HoldId waiter = one.id();
      lockRow("a");
      CompletableFuture<AttemptResult> original = onOwnThread(() -> one.attempt("a", waiter, LONG));
      CompletableFuture<AttemptResult> repetition =
          onOwnThread(() -> again.attempt("a", waiter, LONG));
      awaitUntil(() -> waiting() == 2);
      transition.rollback();

      assertThat(original.get(10, TimeUnit.SECONDS)).isInstanceOf(Queued.class);
      assertThat(repetition.get(10, TimeUnit.SECONDS)).isInstanceOf(Queued.class);
      assertThat(server.execute("SELECT COUNT(*) FROM interlock_entry WHERE client = "
              + waiter.high() + " AND hold = " + waiter.low()))
          .isEqualTo("1");
      assertThat(two.backend.inspect("a").orElseThrow().waiters()).isEqualTo(3);
    }
  }

  /** A transaction that has read it as expired removes it, and the lock goes to somebody else. */
  @Test
  void s2_aFurtherHoldIsProlongedUnderTheRowLockOnly() throws Exception {
    HoldId share = two.id();
    one.attemptAs("saga", "a", one.id(), NONE);
    two.attemptAs("saga", "a", share, NONE);
    lockRow("a");
    CompletableFuture<RenewalResult> renewal = onOwnThread(() -> renewed(two, "a", share, false));
    awaitUntil(() -> renewal.isDone() || waiting() == 1);
    assertThat(renewal).isNotDone();
    transition.rollback();
    assertThat(renewal.get(10, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
  }

  /** Holds of the second client beside those of the first, which one owner shares. */
  private List<Renewal> shares(String... names) {
    List<Renewal> shares = new ArrayList<>();
    for (String name : names) {
      one.attemptAs("saga", name, one.id(), NONE);
      HoldId share = two.id();
      two.attemptAs("saga", name, share, NONE);
      shares.add(Renewal.of(name, share, TestClient.LEASE, false));
    }
    return shares;
  }

  @Test
  void e9_aFurtherHoldOfWhichTheRowIsNotToBeHadFailsAlone() throws Exception {
    List<Renewal> shares = shares("a", "b");
    lockRow("a");
    List<RenewalResult> answers = RenewalAnswers.collect(two.backend, shares);
    assertThat(answers.get(0)).isInstanceOf(RenewalResult.Failed.class);
    assertThat(answers.get(1)).isInstanceOf(Grant.class);
  }

  @Test
  void n8_aHoldOfWhichTheRowIsNotToBeHadFailsAlone() throws Exception {
    List<Renewal> holds = new ArrayList<>();
    for (String name : List.of("gone", "a", "b", "c")) {
      HoldId hold = one.id();
      one.attempt(name, hold, NONE);
      holds.add(Renewal.of(name, hold, TestClient.LEASE, false));
    }
    one.release("gone", holds.get(0).id());
    lockRow("a");
    assertThat(kinds(RenewalAnswers.collect(one.backend, holds)))
        .containsExactly("Gone", "Failed", "Grant", "Grant");
    transition.rollback();
    assertThat(kinds(RenewalAnswers.collect(one.backend, holds)))
        .containsExactly("Gone", "Grant", "Grant", "Grant");
  }

  /** Its lease and its smallest token are those of the others, and yet it costs them nothing. */
  @Test
  void n8_theOthersAreRenewedWithTheirSmallestTokens() throws Exception {
    List<Renewal> holds = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      HoldId hold = one.id();
      one.attempt(name, hold, NONE);
      long token = one.backend.inspect(name).orElseThrow().fencingToken();
      holds.add(Renewal.of(name, hold, TestClient.LEASE, false).withMinToken(token + 1_000_000));
    }
    lockRow("a");
    assertThat(kinds(RenewalAnswers.collect(one.backend, holds)))
        .containsExactly("Failed", "Grant");
    assertThat(one.backend.inspect("b").orElseThrow().fencingToken())
        .isEqualTo(holds.get(1).minToken());
  }

  /** A client serves the waiters of a lock that has run out, if it can. */
  @Test
  void e9_aWaiterForALockOfWhichTheRowIsNotToBeHadFailsAlone() throws Exception {
    List<Renewal> waiters = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      one.attempt(name, one.id(), NONE);
      HoldId waiter = two.id();
      two.attempt(name, waiter, LONG);
      waiters.add(Renewal.of(name, waiter, TestClient.LEASE, true));
    }
    endLease("a");
    lockRow("a");
    assertThat(kinds(RenewalAnswers.collect(two.backend, waiters)))
        .containsExactly("Failed", "Queued");
    transition.rollback();
    assertThat(kinds(RenewalAnswers.collect(two.backend, waiters)))
        .containsExactly("Grant", "Queued");
  }

  /** Each such row takes the renewals some seconds. */
  @Test
  void n8_rowsThatAreLockedComeLast() throws Exception {
    List<Renewal> renewals = new ArrayList<>();
    for (String name : List.of("locked", "free")) {
      one.attemptAs("saga", name, one.id(), NONE);
      HoldId share = two.id();
      two.attemptAs("saga", name, share, NONE);
      renewals.add(Renewal.of(name, share, TestClient.LEASE, false));
    }
    for (String name : List.of("locked and over", "over", "held")) {
      one.attempt(name, one.id(), NONE);
      HoldId waiter = two.id();
      two.attempt(name, waiter, LONG);
      renewals.add(Renewal.of(name, waiter, TestClient.LEASE, true));
    }
    endLease("locked and over");
    endLease("over");
    lockRow("locked");
    lockRow("locked and over");
    List<String> answered = new ArrayList<>();
    two.backend.renew(
        renewals,
        (renewal, result) ->
            answered.add(renewal.name() + " " + kinds(List.of(result)).get(0)));
    assertThat(answered.subList(0, 3))
        .containsExactlyInAnyOrder("free Grant", "over Grant", "held Queued");
    assertThat(answered.subList(3, 5))
        .containsExactlyInAnyOrder("locked Failed", "locked and over Failed");
  }

  /** It has two seconds for that from when it is seen to keep others out. */
  @Undisturbed(millis = 300)
  void w2_aWaiterShowsItselfBeforeRowsThatAreLocked() throws Exception {
    HoldId hold = two.id();
    two.attempt("x", hold, NONE);
    assertThat(reads(one, "l")).isInstanceOf(Grant.class);
    HoldId writer = two.id();
    two.attempt("l", writer, LONG);
    assertThat(reads(one, "l")).isInstanceOf(AttemptResult.Busy.class);
    lockRow("x");
    TimeUnit.MILLISECONDS.sleep(1_200);
    CompletableFuture<List<RenewalResult>> renewal = onOwnThread(() -> RenewalAnswers.collect(
        two.backend,
        List.of(
            Renewal.of("x", hold, TestClient.LEASE, false),
            Renewal.of("l", writer, TestClient.LEASE, true))));
    TimeUnit.MILLISECONDS.sleep(1_300);
    assertThat(reads(one, "l")).isInstanceOf(AttemptResult.Busy.class);
    transition.rollback();
    assertThat(kinds(renewal.get(10, TimeUnit.SECONDS))).containsExactly("Grant", "Queued");
  }

  private static AttemptResult reads(TestClient client, String name) {
    return client.backend.attempt(Attempt.of(name, client.id(), "owner", TestClient.LEASE)
        .withFair(true)
        .withUnits(1, Integer.MAX_VALUE));
  }

  /** Each length of a lease is a packet of its own. */
  @Test
  void n8_rowsThatAreLockedHoldUpTheOthersOnceForAllLeases() throws Exception {
    List<Renewal> renewals = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      for (String name : List.of("locked " + i, "free " + i)) {
        HoldId hold = two.id();
        two.attempt(name, hold, NONE);
        renewals.add(Renewal.of(name, hold, TestClient.LEASE.plusSeconds(i), false));
      }
      lockRow("locked " + i);
    }
    List<Duration> free = new ArrayList<>();
    long start = System.nanoTime();
    two.backend.renew(renewals, (renewal, result) -> {
      if (result instanceof Grant) {
        free.add(Duration.ofNanos(System.nanoTime() - start));
      }
    });
    assertThat(free)
        .hasSize(3)
        .allSatisfy(after -> assertThat(after).isLessThan(Duration.ofSeconds(8)));
  }

  /** It may wait for a row; a renewal stands behind nobody who does. */
  @Undisturbed(millis = 300)
  void n8_aLockThatThisClientWaitsForComesLast() throws Exception {
    List<Renewal> shares = shares("asked", "free");
    lockRow("asked");
    CompletableFuture<Boolean> release =
        onOwnThread(() -> two.release("asked", shares.get(0).id()).held());
    awaitUntil(() -> waiting() == 1);
    List<String> answered = new CopyOnWriteArrayList<>();
    CompletableFuture<Boolean> renewal = onOwnThread(() -> {
      two.backend.renew(shares, (one, result) -> answered.add(one.name()));
      return true;
    });
    Awaitility.await().until(() -> answered.contains("free"));
    assertThat(release).isNotDone();
    transition.rollback();
    assertThat(release.get(10, TimeUnit.SECONDS)).isTrue();
    renewal.get(10, TimeUnit.SECONDS);
    assertThat(answered).containsExactly("free", "asked");
  }

  private void endLease(String name) {
    server.execute("UPDATE interlock_lock SET until_us = 1 WHERE bucket = "
        + LockKey.of(namespace, name).bucket() + " AND lock_key = '" + namespace + ":" + name
        + "'");
  }

  private static List<String> kinds(List<RenewalResult> answers) {
    return answers.stream().map(answer -> answer.getClass().getSimpleName()).toList();
  }

  /** The grant comes from another client, just when this one looks what became of its renewal. */
  @Test
  void w2_aGrantThatIsOnlyClaimedIsNeverReportedAsAFullLease() throws SQLException {
    AtomicReference<Runnable> release = new AtomicReference<>();
    HoldId holder = one.id();
    one.attempt("a", holder, NONE);
    // To this client the entry is unknown, as its attempt's reply was lost.
    try (TestClient again = OddPool.client(namespace, two.clientId(), (usual, sql) -> {
      Runnable task = sql.contains("SELECT client, hold, token") ? release.getAndSet(null) : null;
      if (task != null) {
        task.run();
      }
      return usual;
    })) {
      HoldId waiter = two.id();
      assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
      release.set(() -> one.release("a", holder));
      RenewalResult result = renewed(again, "a", waiter, true);
      Duration remaining = one.backend.inspect("a").orElseThrow().remaining();
      assertThat(release.get()).as("the lock was granted meanwhile").isNull();
      assertThat(result instanceof Grant
              && remaining.compareTo(Micros.toDuration(Protocol.CLAIM_US)) <= 0)
          .as("%s, but it has only %s", result, remaining)
          .isFalse();
    }
  }

  /** What MariaDB says with innodb_snapshot_isolation, as newer ones do by default. */
  @Test
  void e4_aRowThatHasChangedSinceItWasReadIsTriedAgain() throws SQLException {
    AtomicBoolean changed = new AtomicBoolean();
    try (TestClient client = OddPool.client(namespace, (usual, sql) -> {
      if (changed.getAndSet(false)) {
        throw new SQLException("Record has changed since last read", "HY000", 1020);
      }
      return usual;
    })) {
      HoldId holder = client.id();
      client.attempt("a", holder, NONE);
      changed.set(true);
      assertThat(renewed(client, "a", holder, false)).isInstanceOf(Grant.class);
      changed.set(true);
      assertThat(client.release("a", holder).held()).isTrue();
      assertThat(changed).isFalse();
    }
  }

  /** Not on the common pool, which may have one thread only: the other call would never begin. */
  private static <T> CompletableFuture<T> onOwnThread(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, task -> new Thread(task).start());
  }

  private static RenewalResult renewed(TestClient client, String name, HoldId id, boolean queued) {
    return RenewalAnswers.collect(
            client.backend, List.of(Renewal.of(name, id, TestClient.LEASE, queued)))
        .get(0);
  }

  private void lockRow(String name) throws SQLException {
    lockRow(transition, namespace, name);
  }

  static void lockRow(Connection transition, String namespace, String name) throws SQLException {
    try (PreparedStatement statement = transition.prepareStatement(
        "SELECT 1 FROM interlock_lock WHERE bucket = ? AND lock_key = ?" + " FOR UPDATE")) {
      LockKey at = LockKey.of(namespace, name);
      statement.setInt(1, at.bucket());
      statement.setBytes(2, at.key());
      assertThat(statement.executeQuery().next()).isTrue();
    }
  }

  private int waiting() {
    return Integer.parseInt(server.execute(
        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"));
  }

  /** Slowly: InnoDB keeps its list of transactions as it is for as long as that is read often. */
  private static void awaitUntil(BooleanSupplier condition) {
    Awaitility.await().pollInterval(Duration.ofMillis(200)).until(condition::getAsBoolean);
  }
}
