package dev.interlock.mysql.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.mysql.Server;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.AttemptResult.Busy;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Recheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MysqlBackendTest {
  private static final Duration NONE = Duration.ZERO;
  private static final Duration LONG = Duration.ofMinutes(1);

  private String namespace;
  private TestClient one;
  private TestClient two;

  @BeforeEach
  void open() {
    namespace = Server.freshNamespace();
    String uri = Server.shared().uri() + "?schema=create&namespace=" + namespace;
    one = Server.client(uri);
    two = Server.client(uri);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  @Test
  void x3_aHeldLockIsBusyForOthersAndFreeAfterItsRelease() {
    HoldId first = one.id();
    long token = token(one.attempt("a", first, NONE));
    assertThat(two.attempt("a", two.id(), NONE)).isInstanceOf(Busy.class);

    assertThat(one.release("a", first)).isEqualTo(ReleaseResult.released());
    assertThat(one.release("a", first)).isEqualTo(ReleaseResult.notHeld());
    assertThat(token(two.attempt("a", two.id(), NONE))).isGreaterThan(token);
  }

  @Test
  void e1_anAttemptThatIsRepeatedMakesOneHoldWithOneToken() {
    HoldId id = one.id();
    long token = token(one.attempt("a", id, LONG));
    assertThat(token(one.attempt("a", id, LONG))).isEqualTo(token);
    assertThat(one.release("a", id).held()).isTrue();
    assertThat(two.backend.inspect("a")).isEmpty();
  }

  @Test
  void e1_aWaiterThatRepeatsItsAttemptStandsInTheQueueOnce() {
    HoldId holder = one.id();
    HoldId waiter = two.id();
    one.attempt("a", holder, NONE);
    assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
    assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(1);
  }

  @Test
  void o1_aStrangerCanNeitherReleaseNorRenew() {
    HoldId id = one.id();
    one.attempt("a", id, NONE);
    HoldId stranger = new HoldId(id.high(), id.low() + 1000);
    assertThat(one.release("a", stranger)).isEqualTo(ReleaseResult.notHeld());
    assertThat(RenewalAnswers.collect(one.backend, List.of(renewal("a", stranger, false))))
        .containsExactly(RenewalResult.gone());
    assertThat(two.backend.inspect("a")).isPresent();
  }

  @Test
  void f1_waitersOfTwoClientsAreServedInTheOrderOfTheirArrival() throws InterruptedException {
    HoldId holder = one.id();
    one.attempt("a", holder, NONE);
    List<TestClient> clients = List.of(two, one, one, two, two, one);
    List<HoldId> order = new ArrayList<>();
    for (TestClient client : clients) {
      HoldId id = client.id();
      assertThat(client.attempt("a", id, LONG)).isInstanceOf(Queued.class);
      order.add(id);
    }
    Grant last = Grant.of("a", holder, 0, LONG);
    TestClient releasing = one;
    for (int i = 0; i < order.size(); i++) {
      ReleaseResult released = releasing.release("a", last.id());
      assertThat(released.held()).isTrue();
      TestClient next = clients.get(i);
      Grant grant = next == releasing ? released.granted() : next.granted("a", order.get(i), LONG);
      assertThat(grant).isNotNull();
      assertThat(grant.id()).isEqualTo(order.get(i));
      assertThat(grant.fencingToken()).isGreaterThan(last.fencingToken());
      last = grant;
      releasing = next;
    }
    releasing.release("a", last.id());
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  @Test
  void f1_aGrantNamesTheWaitersOfTheSameClientThatFollowWithNobodyBetween()
      throws InterruptedException {
    Server.awaitListening(one);
    Server.awaitListening(two);
    HoldId holder = two.id();
    two.attempt("a", holder, NONE);
    List<HoldId> queue = new ArrayList<>();
    for (TestClient client : List.of(one, one, one, two, two, one)) {
      queue.add(client.id());
      client.attempt("a", queue.get(queue.size() - 1), LONG);
    }
    two.release("a", holder);
    Grant across = one.grants.poll(5, TimeUnit.SECONDS);
    assertThat(across).isNotNull();
    assertThat(across.id()).isEqualTo(queue.get(0));
    assertThat(across.heirs()).containsExactly(queue.get(1), queue.get(2));
    assertThat(across.tokens()).isEqualTo(3);

    // Passed on once: the other heir keeps its place.
    Release once = Release.of("a", queue.get(0)).withPassed(List.of(queue.get(1)));
    Grant within = HandOffBackend.release(one.backend, once).granted();
    assertThat(within).isNotNull();
    assertThat(within.id()).isEqualTo(queue.get(2));
    assertThat(within.heirs()).isEmpty();
    assertThat(within.fencingToken()).isGreaterThan(across.fencingToken() + across.tokens() - 1);
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(3);

    one.release("a", queue.get(2));
    Grant foreign = two.grants.poll(5, TimeUnit.SECONDS);
    assertThat(foreign).isNotNull();
    assertThat(foreign.heirs()).containsExactly(queue.get(4));
    // All were passed on, and the hold is gone when the release comes: the entries go all the same.
    one.backend.forceRelease("a");
    assertThat(HandOffBackend.release(
            two.backend, Release.of("a", queue.get(3)).withPassed(List.of(queue.get(4)))))
        .isEqualTo(ReleaseResult.notHeld());
    one.backend.abandon("a", queue.get(5));
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  @Test
  void f4_anAbandonedWaiterIsSkippedAtAnyPlace() {
    HoldId holder = one.id();
    one.attempt("a", holder, NONE);
    List<HoldId> waiters = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      waiters.add(one.id());
      one.attempt("a", waiters.get(i), LONG);
    }
    for (int i : new int[] {0, 1, 5, 11}) {
      one.backend.abandon("a", waiters.get(i));
    }
    ReleaseResult released = one.release("a", holder);
    assertThat(released.granted()).extracting(Grant::id).isEqualTo(waiters.get(2));
    one.backend.abandon("a", waiters.get(2));
    assertThat(one.grants.poll()).extracting(Grant::id).isEqualTo(waiters.get(3));
  }

  @Test
  void f4_aWaiterWithoutASignOfLifeIsDroppedOverConnectionsThatHaveLastedForAWhile() {
    HoldId known = one.id();
    one.attempt("b", known, NONE);
    Awaitility.await()
        .pollDelay(Micros.toDuration(Protocol.RETURN_US))
        .until(() -> one.release("b", known).held());
    HoldId holder = one.id();
    one.attempt("a", holder, NONE);
    two.attempt("a", two.id(), LONG);
    Server.shared()
        .execute("UPDATE interlock_entry SET until_us = until_us - 10000000 WHERE lock_key = '"
            + namespace + ":a'");

    assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  @Undisturbed(millis = 300)
  void w2_aGrantThatNobodyConfirmsIsTakenBackAndTheWaiterKeepsItsPlace()
      throws InterruptedException {
    Server.awaitListening(two);
    HoldId holder = one.id();
    HoldId deaf = two.id();
    HoldId next = one.id();
    one.attempt("a", holder, NONE);
    two.attempt("a", deaf, LONG);
    one.attempt("a", next, LONG);
    one.release("a", holder);
    assertThat(two.grants.poll(5, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(deaf);

    // It was told but does nothing. The other client's re-checks find that out.
    Awaitility.await().atMost(Duration.ofSeconds(8)).until(() -> {
      RenewalAnswers.collect(one.backend, List.of(renewal("a", next, true)));
      return !one.grants.isEmpty();
    });
    assertThat(one.grants.poll()).extracting(Grant::id).isEqualTo(next);
    HoldId late = one.id();
    one.attempt("a", late, LONG);
    assertThat(two.attempt("a", deaf, LONG)).isInstanceOf(Queued.class);
    one.release("a", next);
    assertThat(two.granted("a", deaf, LONG)).extracting(Grant::id).isEqualTo(deaf);
  }

  @Test
  void w3_anEntryFromBeforeItsClientListenedIsLookedAtOftenUntilItSaysSo() {
    HoldId waiter = two.id();
    one.attempt("a", one.id(), NONE);
    two.attempt("a", waiter, LONG);
    Awaitility.await().until(() -> nextLook(waiter).compareTo(Recheck.POLL.multipliedBy(2)) > 0);
    Server.shared()
        .execute("UPDATE interlock_entry SET listens = 0 WHERE lock_key = '" + namespace + ":a'");

    assertThat(nextLook(waiter)).isLessThan(Recheck.POLL.multipliedBy(2));
    // A tick of those who look seldom may be near, but not for long.
    Awaitility.await().until(() -> nextLook(waiter).compareTo(Recheck.POLL.multipliedBy(2)) > 0);
  }

  private Duration nextLook(HoldId waiter) {
    RenewalResult result =
        RenewalAnswers.collect(two.backend, List.of(renewal("a", waiter, true))).get(0);
    return ((RenewalResult.Queued) result).recheck();
  }

  @Test
  void l6_anExpiredHoldIsTakenOverAndCannotBeRenewedOrReleased() {
    HoldId dead = one.id();
    HoldId heir = two.id();
    long token = token(one.attempt("a", dead, NONE, Duration.ofMillis(100)));
    two.attempt("a", heir, LONG);
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> RenewalAnswers.collect(two.backend, List.of(renewal("a", heir, true)))
                    .get(0)
                instanceof Grant held
            && held.fencingToken() > token);
    assertThat(RenewalAnswers.collect(one.backend, List.of(renewal("a", dead, false))))
        .containsExactly(RenewalResult.gone());
    assertThat(one.release("a", dead)).isEqualTo(ReleaseResult.notHeld());
    assertThat(two.backend.inspect("a")).isPresent();
  }

  @Test
  void n6_aBatchRenewsHoldsAndWaitersTogether() {
    HoldId held = one.id();
    HoldId waiting = one.id();
    HoldId unknown = one.id();
    long token = token(one.attempt("a", held, NONE, Duration.ofSeconds(10)));
    one.attempt("a", waiting, LONG);
    List<RenewalResult> results = RenewalAnswers.collect(
        one.backend,
        List.of(
            renewal("a", waiting, true), renewal("b", unknown, false), renewal("a", held, false)));
    assertThat(results.get(0)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(results.get(1)).isEqualTo(RenewalResult.gone());
    assertThat(results.get(2)).isEqualTo(Grant.of("a", held, token, TestClient.LEASE));
    assertThat(two.backend.inspect("a").orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(20));
  }

  @Test
  void s1_theSameOwnerEntersFromAnotherClientWithTheSameToken() {
    HoldId first = one.id();
    HoldId second = two.id();
    long token = token(one.attemptAs("saga", "a", first, NONE));
    assertThat(token(two.attemptAs("saga", "a", second, NONE))).isEqualTo(token);
    assertThat(token(two.attemptAs("saga", "a", second, NONE))).isEqualTo(token);
    assertThat(two.attemptAs("Saga", "a", two.id(), NONE)).isInstanceOf(Busy.class);
    assertThat(two.attempt("a", two.id(), NONE)).isInstanceOf(Busy.class);

    assertThat(one.release("a", first).held()).isTrue();
    assertThat(RenewalAnswers.collect(two.backend, List.of(renewal("a", second, false))))
        .containsExactly(Grant.of("a", second, token, TestClient.LEASE));
    assertThat(one.attempt("a", one.id(), NONE)).isInstanceOf(Busy.class);
    assertThat(two.release("a", second).held()).isTrue();
    assertThat(one.attempt("a", one.id(), NONE)).isInstanceOf(Grant.class);
  }

  @Test
  void m2_aForcedReleaseServesTheNextWaiterAndTellsTheVictimOfThisClient()
      throws InterruptedException {
    HoldId victim = one.id();
    HoldId waiter = two.id();
    one.attempt("a", victim, NONE);
    two.attempt("a", waiter, LONG);
    assertThat(one.backend.forceRelease("a")).isTrue();
    assertThat(one.revoked.poll()).isEqualTo(victim);
    assertThat(two.granted("a", waiter, LONG)).extracting(Grant::id).isEqualTo(waiter);
    assertThat(one.backend.forceRelease("b")).isFalse();
  }

  @Test
  void m1_inspectTellsWhoHoldsTheLock() {
    assertThat(one.backend.inspect("a")).isEmpty();
    long token = token(one.attemptAs("J\u00f6rg", "a", one.id(), NONE));
    two.attempt("a", two.id(), LONG);
    HoldInfo info = two.backend.inspect("a").orElseThrow();
    assertThat(info.owner()).isEqualTo("J\u00f6rg");
    assertThat(info.host()).isEqualTo("test:1");
    assertThat(info.fencingToken()).isEqualTo(token);
    assertThat(info.waiters()).isEqualTo(1);
    assertThat(info.remaining()).isBetween(Duration.ofSeconds(20), TestClient.LEASE);
  }

  @Test
  void x4_namesThatDifferInAnythingAreDifferentLocks() {
    String longest = "x".repeat(1024);
    for (String name : List.of(
        "a",
        "A",
        "a ",
        " a",
        "\u00e4",
        "a\u0308",
        "a:b",
        "a'b",
        "a\\b",
        "a%",
        "a_",
        longest,
        longest.substring(1))) {
      assertThat(one.attempt(name, one.id(), NONE)).as(name).isInstanceOf(Grant.class);
      assertThat(two.attempt(name, two.id(), NONE)).as(name).isInstanceOf(Busy.class);
    }
  }

  @Test
  void aReleaseTakesTheNextAttemptOfTheClientAlong() {
    HoldId first = one.id();
    HoldId foreign = two.id();
    HoldId next = one.id();
    one.attempt("a", first, NONE);
    two.attempt("a", foreign, LONG);
    ReleaseResult released = HandOffBackend.release(
        one.backend,
        Release.of("a", first)
            .withNext(
                Attempt.of("a", next, "o", TestClient.LEASE).withFair(true).withPatience(LONG)));
    assertThat(released.held()).isTrue();
    assertThat(released.granted()).isNull();
    assertThat(released.next()).isInstanceOf(Queued.class);
    assertThat(two.release("a", foreign).held()).isTrue();
  }

  @Test
  void serverNamesProductAndVersion() {
    assertThat(one.backend.server()).isEqualTo(Server.shared().version());
  }

  private static Renewal renewal(String name, HoldId id, boolean queued) {
    return Renewal.of(name, id, TestClient.LEASE, queued);
  }

  private static long token(AttemptResult result) {
    assertThat(result).isInstanceOf(Grant.class);
    return ((Grant) result).fencingToken();
  }
}
