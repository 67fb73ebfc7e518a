package dev.interlock.redis.hash.internal.backend;

import static dev.interlock.redis.hash.internal.backend.TestClient.PATIENT;
import static dev.interlock.redis.hash.internal.backend.TestClient.fair;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.hash.internal.backend.TestClient.Told;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.RenewalResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several clients: who gets a lock that is freed, and how it is told. */
@Timeout(60)
class HandOffTest extends TwoClients {
  private static final Duration CLAIM = Duration.ofSeconds(2);

  private HoldId a;
  private HoldId b;
  private HoldId c;

  @BeforeEach
  void chooseIds() {
    a = one.id();
    b = two.id();
    c = one.id();
  }

  @Undisturbed(millis = 300)
  void X1_nobodyIsToldOfAGrantThatTheServerRefusedToWrite() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    one.queue("n", c);
    one.release("n", a); // takes tokens in reserve, so that the next step need write none first
    assertThat(two.grant().grant().id()).isEqualTo(b);
    server.command("REPLICAOF", "127.0.0.1", "1");
    try {
      assertThatThrownBy(() -> two.release("n", b)).hasMessageContaining("READONLY");
    } finally {
      server.command("REPLICAOF", "NO", "ONE");
    }
    expectNothingTold(one, c);
    assertThat(two.release("n", b).held()).isTrue();
    assertThat(one.grant().grant().id()).isEqualTo(c);
  }

  @Test
  void M2_noHolderIsToldOfAForcedReleaseThatTheServerRefused() throws InterruptedException {
    one.tryOnce("n", a);
    server.command("REPLICAOF", "127.0.0.1", "1");
    try {
      assertThatThrownBy(() -> two.backend.forceRelease("n")).hasMessageContaining("READONLY");
    } finally {
      server.command("REPLICAOF", "NO", "ONE");
    }
    expectNothingTold(one, c);
    assertThat(two.backend.forceRelease("n")).isTrue();
    assertThat(one.event()).isEqualTo("revoked n " + a);
  }

  /** It may have become one, and lack the latest holds of its master. */
  @Test
  void L7_noReplicaSaysThatALockIsNotHeldOrThatItIs() {
    one.tryOnce("m", c);
    server.command("REPLICAOF", "127.0.0.1", "1");
    try {
      expectReadOnly(() -> one.release("n", a));
      expectReadOnly(() -> {
        RenewalResult answer = one.renew("n", a);
        throw ((RenewalResult.Failed) answer).error();
      });
      expectReadOnly(() -> one.backend.abandon("n", a));
      expectReadOnly(() -> one.backend.forceRelease("n", 1));
      expectReadOnly(() -> two.tryOnce("m", b));
      expectReadOnly(() -> two.backend.attempt(TestClient.barging("m", b)));
    } finally {
      server.command("REPLICAOF", "NO", "ONE");
    }
  }

  /** The connection to a replica is left at once, so the next call may find none, or lose it. */
  private static void expectReadOnly(ThrowingCallable call) {
    Topologies.await(() -> {
      Throwable refusal = catchThrowable(call);
      assertThat(refusal)
          .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
      return refusal instanceof BackendUnavailableException
          && refusal.getMessage().contains("READONLY");
    });
  }

  /** Sends a wake-up, which comes behind whatever was sent before. */
  private static void expectNothingTold(TestClient client, HoldId id) throws InterruptedException {
    server.command("PUBLISH", client.mailbox, "w" + id + "n");
    assertThat(client.event()).isEqualTo("wake n " + id);
    assertThat(client.grants).isEmpty();
  }

  /** A replica that becomes the master may have the lock as it was before the last grants. */
  @Undisturbed(millis = 300)
  void T2_tokensOfAStateThatGoesBackAreNotTakenAgain() throws InterruptedException {
    String key = BackendContract.key("n");
    one.tryOnce("n", a);
    two.queue("n", b);
    one.queue("n", c);
    one.release("n", a); // takes tokens in reserve
    assertThat(two.grant().grant().id()).isEqualTo(b);
    server.command("COPY", key, key + "-before");
    two.release("n", b);
    long lost = one.grant().grant().fencingToken();
    Thread.sleep(100); // a fail-over takes longer: the time itself is what is tested

    server.command("COPY", key + "-before", key, "REPLACE");
    two.release("n", b);

    assertThat(one.grant().grant().fencingToken()).isGreaterThan(lost);
  }

  @Test
  void P1_aWaiterOfAnotherClientIsToldAndCanCountFromTheGrant() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    long before = System.nanoTime();
    ReleaseResult released = one.release("n", a);
    assertThat(released).isEqualTo(ReleaseResult.released());

    Told told = two.grant();

    assertThat(told.grant().id()).isEqualTo(b);
    assertThat(told.grant().lease()).isEqualTo(CLAIM);
    assertThat(told.notBeforeNanos()).isLessThanOrEqualTo(told.heardNanos());
    assertThat(told.notBeforeNanos()).isGreaterThan(before - 500_000_000L);
    assertThat(two.renew("n", b))
        .isEqualTo(Grant.of("n", b, told.grant().fencingToken(), TestClient.LEASE));
    assertThat(two.backend.inspect("n").orElseThrow().remaining()).isGreaterThan(CLAIM);
  }

  @Undisturbed(millis = 300)
  void F1_aGrantNamesTheWaitersOfTheSameClientThatFollowWithNobodyBetween()
      throws InterruptedException {
    one.tryOnce("n", a);
    List<HoldId> queue = new ArrayList<>();
    for (TestClient client : List.of(two, two, two, one, one, two)) {
      queue.add(client.id());
      assertThat(client.queue("n", queue.get(queue.size() - 1))).isInstanceOf(Queued.class);
    }
    one.release("n", a);
    Grant across = two.grant().grant();
    assertThat(across.id()).isEqualTo(queue.get(0));
    assertThat(across.heirs()).containsExactly(queue.get(1), queue.get(2));
    assertThat(across.tokens()).isEqualTo(3);

    // Passed on once: the other heir keeps its place.
    Release once = Release.of("n", queue.get(0)).withPassed(List.of(queue.get(1)));
    Grant within = HandOffBackend.release(two.backend, once).granted();
    assertThat(within.id()).isEqualTo(queue.get(2));
    assertThat(within.heirs()).isEmpty();
    assertThat(within.fencingToken()).isGreaterThan(across.fencingToken() + across.tokens() - 1);
    assertThat(two.backend.inspect("n").orElseThrow().waiters()).isEqualTo(3);
    assertThat(HandOffBackend.release(two.backend, once))
        .as("a second time")
        .isEqualTo(ReleaseResult.notHeld());
    assertThat(two.renew("n", queue.get(2))).isInstanceOf(Grant.class);

    two.release("n", queue.get(2));
    Grant foreign = one.grant().grant();
    assertThat(foreign.id()).isEqualTo(queue.get(3));
    assertThat(foreign.heirs()).containsExactly(queue.get(4));
  }

  @Test
  void F1_thoseWhoHadTheLockGoAlsoIfItWasTakenAwayMeanwhile() throws InterruptedException {
    one.tryOnce("n", a);
    HoldId heir = two.id();
    two.queue("n", b);
    two.queue("n", heir);
    one.queue("n", c);
    one.release("n", a);
    assertThat(two.grant().grant().heirs()).containsExactly(heir);
    one.backend.forceRelease("n");
    assertThat(two.grant().grant().id()).as("it is still in the queue").isEqualTo(heir);

    assertThat(HandOffBackend.release(two.backend, Release.of("n", b).withPassed(List.of(heir))))
        .isEqualTo(ReleaseResult.notHeld());

    assertThat(one.grant().grant().id()).isEqualTo(c);
    one.release("n", c);
    assertThat(one.backend.inspect("n")).isEmpty();
  }

  @Test
  void withoutARecentAnswerTheWaiterIsWokenToConfirm() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    TimeUnit.MILLISECONDS.sleep(1_050);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
    assertThat(two.queue("n", b)).isInstanceOf(Grant.class);
    assertThat(two.backend.inspect("n").orElseThrow().remaining()).isGreaterThan(CLAIM);
  }

  @Test
  void aClaimIsNeverLongerThanTheLeaseThatWasAskedFor() throws InterruptedException {
    one.tryOnce("n", a);
    two.backend.attempt(fair("n", b, Duration.ofMillis(700), PATIENT));
    one.release("n", a);
    assertThat(two.grant().grant().lease()).isEqualTo(Duration.ofMillis(700));
  }

  @Test
  void W2_aGrantThatIsNotConfirmedIsTakenBack() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    one.queue("n", c);
    one.release("n", a);
    RenewalResult.Queued refreshed = (RenewalResult.Queued) one.refresh("n", c);
    assertThat(refreshed.recheck()).isLessThanOrEqualTo(CLAIM.plusMillis(1));
    TimeUnit.NANOSECONDS.sleep(refreshed.recheck().toNanos());
    assertThat(one.refresh("n", c)).isInstanceOf(Grant.class);
    assertThat(two.refresh("n", b)).isEqualTo(RenewalResult.gone());
    assertThat(two.renew("n", b)).isEqualTo(RenewalResult.gone());
  }

  /**
   * A client that hangs, while the server believes in its connection, costs the others one claim.
   */
  @Test
  void W2_aClientThatDoesNotComeForItsGrantIsPassedOverWithAllItsWaitersAndTheyKeepTheirPlaces()
      throws InterruptedException {
    HoldId hungToo = two.id();
    HoldId later = one.id();
    one.tryOnce("n", a);
    two.queue("n", b);
    one.queue("n", c);
    two.queue("n", hungToo);
    one.queue("n", later);
    one.release("n", a);
    TimeUnit.NANOSECONDS.sleep(CLAIM.plusMillis(1).toNanos());
    assertThat(one.refresh("n", c)).isInstanceOf(Grant.class);
    assertThat(one.release("n", c).granted().id()).isEqualTo(later);
    assertThat(two.refresh("n", hungToo)).isInstanceOf(RenewalResult.Queued.class);
    HoldId last = one.id();
    one.queue("n", last);
    two.grants.clear();
    assertThat(one.release("n", later).granted()).isNull();
    assertThat(two.grant().grant().id()).isEqualTo(hungToo);
  }

  @Test
  void F2_aClientThatConfirmsItsGrantKeepsItsPlacesWhenTheHoldRunsOut()
      throws InterruptedException {
    expectPlacesKept(CLAIM.plusMillis(500), true);
  }

  /** It was told of its whole lease, and so has nothing to say. */
  @Test
  void F2_aClientWithAShortLeaseKeepsItsPlacesWhenTheHoldRunsOut() throws InterruptedException {
    expectPlacesKept(CLAIM, false);
  }

  private void expectPlacesKept(Duration lease, boolean confirms) throws InterruptedException {
    HoldId next = two.id();
    one.tryOnce("n", a);
    two.backend.attempt(fair("n", b, lease, PATIENT));
    one.queue("n", c);
    two.queue("n", next);
    one.queue("n", one.id());
    one.release("n", a);
    if (confirms) {
      two.backend.attempt(fair("n", b, lease, PATIENT));
    }
    TimeUnit.NANOSECONDS.sleep(lease.plusMillis(1).toNanos());
    assertThat(one.refresh("n", c)).isInstanceOf(Grant.class);
    assertThat(one.release("n", c).granted()).isNull();
    assertThat(two.event()).isEqualTo("wake n " + next);
  }

  @Test
  void aGrantThatGotLostIsFoundByARefreshAlsoAfterItRanOut() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    one.release("n", a);
    long token = two.grant().grant().fencingToken();
    Topologies.await(() -> two.backend.inspect("n").isEmpty());
    assertThat(two.refresh("n", b)).isEqualTo(Grant.of("n", b, token, TestClient.LEASE));
    assertThat(two.backend.inspect("n").orElseThrow().remaining()).isGreaterThan(CLAIM);
  }

  @Test
  void F5_aWaiterWhoseClientDoesNotListenIsPassedOverAndKeepsItsPlace()
      throws InterruptedException {
    try (TestClient deaf = TestClient.deaf(server)) {
      HoldId d1 = deaf.id();
      HoldId d2 = deaf.id();
      one.tryOnce("n", a);
      deaf.queue("n", d1);
      deaf.queue("n", d2);
      two.queue("n", b);
      one.queue("n", c);
      one.release("n", a);
      assertThat(two.grant().grant().id()).isEqualTo(b);

      deaf.listen();
      assertThat(deaf.refresh("n", d2)).isInstanceOf(RenewalResult.Queued.class);
      assertThat(deaf.refresh("n", d1)).isInstanceOf(RenewalResult.Queued.class);
      assertThat(two.backend.inspect("n").orElseThrow().waiters()).isEqualTo(3);

      two.release("n", b);
      assertThat(deaf.grant().grant().id()).isEqualTo(d1);
      assertThat(deaf.release("n", d1).granted().id()).isEqualTo(d2);
      assertThat(deaf.release("n", d2).granted()).isNull();
      assertThat(one.grant().grant().id()).isEqualTo(c);
      one.release("n", c);
      assertThat(server.command("KEYS", "*lock*")).isIn("", "(nil)");
      assertThat(server.command("KEYS", "*wait*")).isIn("", "(nil)");
    }
  }

  @Test
  void M4_aWaiterIsForgottenByItsClientOnceItHasTheLock() throws InterruptedException {
    one.tryOnce("n", a);
    two.queue("n", b);
    assertThat(((HashBackend) two.backend).knownWaiters()).isOne();
    one.release("n", a);
    assertThat(two.grant().grant().id()).isEqualTo(b);
    assertThat(two.renew("n", b)).isInstanceOf(Grant.class);
    assertThat(((HashBackend) two.backend).knownWaiters()).isZero();
  }

  /** Those who were passed over are listed for longer than the lock's key may live. */
  @Test
  void F5_deadWaitersOfAKeyThatExpiredDoNotCountAgainstThoseOfTheNextOne()
      throws InterruptedException {
    LockKeys keys = new KeyLayout(TestClient.NAMESPACE).keys("n");
    String lock = new String(keys.lock(), StandardCharsets.UTF_8);
    String aside = new String(keys.waiting(), StandardCharsets.UTF_8);
    try (TestClient deaf = TestClient.deaf(server)) {
      one.tryOnce("n", a);
      List<HoldId> dead = List.of(deaf.id(), deaf.id(), deaf.id());
      dead.forEach(id -> deaf.queue("n", id));
      one.release("n", a);
      // Their deadlines have passed, and the lock's key has expired.
      dead.forEach(id -> server.command("ZADD", aside, "XX", "1", id.toString()));
      server.command("DEL", lock);
      assertThat(server.command("ZCARD", aside)).isEqualTo("3");

      HoldId passedOver = deaf.id();
      HoldId last = one.id();
      one.tryOnce("n", c);
      deaf.queue("n", passedOver);
      one.queue("n", last);
      assertThat(one.release("n", c).granted().id()).isEqualTo(last);
      two.queue("n", b);
      assertThat(one.renew("n", last)).isInstanceOf(Grant.class);
      assertThat(one.backend.inspect("n").orElseThrow().waiters()).isEqualTo(2);
      assertThat(server.command("ZCARD", aside)).isEqualTo("1");

      one.release("n", last);
      assertThat(two.grant().grant().id()).isEqualTo(b);
      two.release("n", b);
      assertThat(deaf.refresh("n", passedOver)).isInstanceOf(Grant.class);
      deaf.release("n", passedOver);
      assertThat(server.command("KEYS", "*lock*")).isIn("", "(nil)");
      assertThat(server.command("KEYS", "*wait*")).isIn("", "(nil)");
    }
  }

  @Test
  void aLockThatOnlyTheDeafWaitForIsFreeAndTheyGetItWhenTheyAsk() {
    try (TestClient deaf = TestClient.deaf(server)) {
      HoldId d = deaf.id();
      one.tryOnce("n", a);
      deaf.queue("n", d);
      one.release("n", a);
      assertThat(one.backend.inspect("n")).isEmpty();
      assertThat(deaf.refresh("n", d)).isInstanceOf(Grant.class);
      deaf.release("n", d);
      assertThat(server.command("KEYS", "*lock*")).isIn("", "(nil)");
    }
  }

  /** It would have to look again for nothing: it is told of its grant. */
  @Test
  void aDeafWaiterThatIsPassedOverWakesNobodyOfItsOwner() throws InterruptedException {
    try (TestClient deaf = TestClient.deaf(server)) {
      one.tryOnce("n", a);
      deaf.share("n", deaf.id(), "saga");
      two.share("n", b, "saga");
      one.release("n", a);
      assertThat(two.grant().grant().id()).isEqualTo(b);
      expectNothingTold(two, a);
    }
  }

  @Test
  void S1_anOwnerReentersFromAnotherClientAndTheEntriesBalance() {
    HoldId again = two.id();
    Grant first = (Grant) one.share("n", a, "saga");
    assertThat(two.share("n", again, "saga"))
        .isEqualTo(Grant.of("n", again, first.fencingToken(), TestClient.LEASE));
    assertThat(two.share("n", b, "other")).isInstanceOf(Queued.class);
    assertThat(one.release("n", a).granted()).isNull();
    assertThat(two.backend.inspect("n")).isPresent();
    assertThat(two.release("n", again).granted().id()).isEqualTo(b);
  }

  @Undisturbed(millis = 200) // else the pause is over before the attempt is
  void E6_anAttemptThatIsTooLateDoesNothing() {
    one.tryOnce("n", a);
    server.command("CLIENT", "PAUSE", "2600", "ALL");
    assertThat(catchThrowable(() -> two.queue("n", b))).isInstanceOf(OutcomeUnknownException.class);
    assertThat(one.backend.inspect("n").orElseThrow().waiters()).isZero();
  }
}
