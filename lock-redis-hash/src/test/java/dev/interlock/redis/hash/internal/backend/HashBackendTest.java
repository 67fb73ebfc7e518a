package dev.interlock.redis.hash.internal.backend;

import static dev.interlock.redis.hash.internal.backend.TestClient.LEASE;
import static dev.interlock.redis.hash.internal.backend.TestClient.PATIENT;
import static dev.interlock.redis.hash.internal.backend.TestClient.fair;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One client and one server: what each step does, once, twice and too late. */
@Timeout(60)
class HashBackendTest extends OneClient {
  @Test
  void X1_aHeldLockIsNotGrantedToAnother() {
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    Queued queued = (Queued) client.queue("n", c);
    assertThat(queued.recheck()).isBetween(Duration.ofMillis(2_100), Duration.ofMillis(2_600));
  }

  /** Here an attempt that no command can be made of, with a lease beyond all numbers. */
  @Test
  void W4_anAttemptDoesNotWaitForEverForAReleaseThatWasNeverMade() throws Exception {
    client.tryOnce("n", a);
    client.queue("n", b);
    client.queue("n", c);
    FutureTask<Boolean> riding = new FutureTask<>(() -> {
      for (int i = 0; i < 10_000; i++) {
        try {
          client.backend.attempt(
              fair("n", client.id(), Duration.ofSeconds(Long.MAX_VALUE), PATIENT));
        } catch (OutcomeUnknownException e) {
          return true;
        } catch (ArithmeticException e) {
          // It has gone alone: once more.
        }
      }
      return false;
    });
    Thread thread = new Thread(riding, "rider");
    thread.setDaemon(true);
    thread.start();
    boolean failed = false;
    while (!riding.isDone() && !failed) {
      try {
        client.release("n", client.id());
      } catch (ArithmeticException e) {
        failed = true;
      }
    }
    assertThat(riding.get(10, TimeUnit.SECONDS)).as("was taken along").isTrue();
  }

  /**
   * A grant to one who is dead, but whose connection the server still believes in, ends after two
   * seconds. Whoever stands behind, at any place, must look again soon enough for the bound of
   * three.
   */
  @Test
  void F4_aWaiterAtAnyPlaceLooksAgainWithinThreeSeconds() {
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
    assertThat(client.queue("n", b)).isInstanceOf(Queued.class);
    Queued behind = (Queued) client.queue("n", c);
    assertThat(behind.recheck()).isBetween(Duration.ofMillis(2_100), Duration.ofMillis(2_600));
    assertThat(client.refresh("n", c))
        .isInstanceOfSatisfying(
            RenewalResult.Queued.class,
            queued -> assertThat(queued.recheck())
                .isBetween(Duration.ofMillis(2_100), Duration.ofMillis(2_600)));
  }

  @Test
  void W6_aSingleAttemptLeavesNothingInTheQueue() {
    client.tryOnce("n", a);
    client.tryOnce("n", b);
    assertThat(client.release("n", a)).isEqualTo(ReleaseResult.released());
    assertThat(keys()).isEmpty();
  }

  @Test
  void E1_aRepeatedAttemptHasTheSameTokenAndTheLeaseRestarts() {
    long token = ((Grant) client.tryOnce("n", a, Duration.ofSeconds(20))).fencingToken();
    Duration longest = Duration.ofSeconds(50);
    long start = System.nanoTime();
    for (Duration lease : List.of(longest, Duration.ofMillis(5))) {
      assertThat(client.tryOnce("n", a, lease)).isEqualTo(Grant.of("n", a, token, lease));
    }
    assertRemains(longest, start);
    client.release("n", a);
    assertThat(keys()).isEmpty();
  }

  @Test
  void E1_aRepeatedAttemptKeepsItsOnePlaceInTheQueue() {
    client.tryOnce("n", a);
    client.queue("n", b);
    client.queue("n", c);
    assertThat(client.queue("n", b)).isInstanceOf(Queued.class);
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isEqualTo(2);

    assertThat(client.release("n", a).granted().id()).isEqualTo(b);
    assertThat(client.release("n", b).granted().id()).isEqualTo(c);
    assertThat(client.release("n", c)).isEqualTo(ReleaseResult.released());
    assertThat(keys()).isEmpty();
  }

  @Test
  void aReleaseHandsTheWholeLeaseToAWaiterOfTheSameClient() {
    Grant first = (Grant) client.tryOnce("n", a);
    client.queue("n", b);
    ReleaseResult released = client.release("n", a);
    assertThat(released.granted().lease()).isEqualTo(LEASE);
    assertThat(released.granted().fencingToken()).isGreaterThan(first.fencingToken());
    assertThat(client.renew("n", b)).isEqualTo(released.granted());
    assertThat(client.grants).isEmpty();
  }

  @Test
  void E2_aRepeatedReleaseNeverFreesASuccessor() {
    client.tryOnce("n", a);
    client.queue("n", b);
    client.release("n", a);
    assertThat(client.release("n", a)).isEqualTo(ReleaseResult.notHeld());
    assertThat(client.renew("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void O1_aReleaseByAWaiterChangesNothing() {
    client.tryOnce("n", a);
    client.queue("n", b);
    assertThat(client.release("n", b)).isEqualTo(ReleaseResult.notHeld());
    assertThat(client.refresh("n", b)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(client.renew("n", a)).isInstanceOf(Grant.class);
  }

  @Test
  void O1_aReleaseByAnotherOfALockThatNobodyWaitsForChangesNothing() {
    client.tryOnce("n", a);
    assertThat(client.release("n", b).held()).isFalse();
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    assertThat(client.release("n", a).held()).isTrue();
    assertThat(client.release("n", a).held()).isFalse();
    assertThat(client.tryOnce("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void aReleaseTakesItsNextWaiterAlongBehindThoseWhoWait() {
    client.tryOnce("n", a);
    client.queue("n", b);
    ReleaseResult first = HandOffBackend.release(
        client.backend, Release.of("n", a).withNext(TestClient.barging("n", c)));
    assertThat(first.granted().id()).isEqualTo(b);
    assertThat(first.next()).isInstanceOf(Queued.class);
    HoldId d = client.id();
    assertThat(HandOffBackend.release(
            client.backend, Release.of("n", a).withNext(TestClient.barging("n", d))))
        .isEqualTo(ReleaseResult.notHeld());
    assertThat(client.release("n", b).granted().id()).isEqualTo(c);
    ReleaseResult last = HandOffBackend.release(
        client.backend, Release.of("n", c).withNext(TestClient.barging("n", d)));
    assertThat(last.granted().id()).isEqualTo(d);
    assertThat(last.next()).isNull();
  }

  @Test
  void L6_anExpiredLeaseFreesTheLock() throws InterruptedException {
    client.tryOnce("n", a, Duration.ofSeconds(1));
    Busy busy = (Busy) client.tryOnce("n", b);
    assertThat(busy.recheck()).isBetween(Duration.ofMillis(1), Duration.ofMillis(1_001));
    TimeUnit.NANOSECONDS.sleep(busy.recheck().toNanos());
    assertThat(client.tryOnce("n", b)).isInstanceOf(Grant.class);
    assertThat(client.renew("n", a)).isEqualTo(RenewalResult.gone());
    assertThat(client.release("n", a)).isEqualTo(ReleaseResult.notHeld());
  }

  @Test
  void aRefreshHandsOnTheLockOfADeadHolder() throws InterruptedException {
    client.tryOnce("n", a, Duration.ofSeconds(1));
    client.queue("n", b);
    Queued queued = (Queued) client.queue("n", c);
    assertThat(queued.recheck()).isLessThanOrEqualTo(Duration.ofMillis(1_001));
    TimeUnit.NANOSECONDS.sleep(queued.recheck().toNanos());
    List<RenewalResult> results = RenewalAnswers.collect(
        client.backend, List.of(Renewal.of("n", c, LEASE, true), Renewal.of("n", b, LEASE, true)));
    assertThat(results.get(0)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(results.get(1)).isInstanceOf(Grant.class);
  }

  @Test
  void N3_aRenewalNeverShortensAndNeverBringsBack() {
    client.tryOnce("n", a, Duration.ofSeconds(60));
    client.renew("n", a);
    assertThat(client.backend.inspect("n").orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(50));
    client.tryOnce("m", b, Duration.ofMillis(50));
    awaitExpiry("m");
    assertThat(client.renew("m", b)).isEqualTo(RenewalResult.gone());
    assertThat(client.backend.inspect("m")).isEmpty();
  }

  @Test
  void aBatchIsAnsweredInOrderOverManyLocks() {
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      HoldId id = client.id();
      String name = "n" + i % 50;
      if (i % 3 != 0) {
        client.queue(name, id);
      }
      batch.add(Renewal.of(name, id, LEASE, true));
    }
    List<RenewalResult> results = RenewalAnswers.collect(client.backend, batch);
    assertThat(results).hasSize(256);
    for (int i = 0; i < 256; i += 3) {
      assertThat(results.get(i)).isEqualTo(RenewalResult.gone());
    }
    assertThat(results.stream().filter(Grant.class::isInstance)).hasSize(50);
  }

  @Test
  void anAbandonedWaiterLeavesAnyPlaceInTheQueue() {
    client.tryOnce("n", a);
    List<HoldId> waiters = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      HoldId id = client.id();
      waiters.add(id);
      assertThat(client.queue("n", id)).isInstanceOf(Queued.class);
    }
    List<HoldId> left = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      if (i % 3 == 0 || (i > 15 && i < 36)) {
        client.backend.abandon("n", waiters.get(i));
        client.backend.abandon("n", waiters.get(i));
      } else {
        left.add(waiters.get(i));
      }
    }
    HoldId holder = a;
    for (HoldId expected : left) {
      assertThat(client.release("n", holder).granted().id()).isEqualTo(expected);
      holder = expected;
    }
    client.release("n", holder);
    assertThat(keys()).isEmpty();
  }

  @Test
  void W6_anAbandonedHoldIsHandedOn() {
    client.tryOnce("n", a);
    client.queue("n", b);
    client.backend.abandon("n", a);
    assertThat(client.refresh("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void aFairAttemptDoesNotPassOverThoseWhoWaitAndABargingOneMay() {
    client.tryOnce("n", a, Duration.ofSeconds(1));
    client.queue("n", b);
    awaitExpiry("n");
    assertThat(client.backend.attempt(TestClient.barging("n", c))).isInstanceOf(Grant.class);
    client.release("n", c);
    assertThat(client.refresh("n", b)).isInstanceOf(Grant.class);

    client.tryOnce("m", a, Duration.ofSeconds(1));
    client.queue("m", b);
    awaitExpiry("m");
    assertThat(client.tryOnce("m", c)).isInstanceOf(Busy.class);
    assertThat(client.refresh("m", b)).isInstanceOf(Grant.class);
  }

  @Test
  void S3_aRepeatedReentryOfASharedOwnerCountsOnce() {
    Grant first = (Grant) client.share("n", a, "saga");
    Grant second = Grant.of("n", b, first.fencingToken(), TestClient.LEASE);
    assertThat(client.share("n", b, "saga")).isEqualTo(second);
    assertThat(client.share("n", b, "saga")).isEqualTo(second);
    assertThat(client.share("n", c, "other")).isInstanceOf(Queued.class);
    assertThat(client.release("n", b)).isEqualTo(ReleaseResult.released());
    assertThat(client.release("n", b)).isEqualTo(ReleaseResult.notHeld());
    assertThat(client.renew("n", a)).isInstanceOf(Grant.class);
    assertThat(client.release("n", a).granted().id()).isEqualTo(c);
  }

  @Test
  void S2_aSharedHoldThatExpiresLeavesTheOthers() throws InterruptedException {
    client.share("n", a, "saga");
    client.backend.attempt(Attempt.of("n", b, "saga", Duration.ofMillis(100))
        .withSharedOwner(true)
        .withPatience(PATIENT));
    TimeUnit.MILLISECONDS.sleep(110);
    assertThat(client.renew("n", b)).isEqualTo(RenewalResult.gone());
    assertThat(client.renew("n", a)).isInstanceOf(Grant.class);
    client.release("n", a);
    assertThat(keys()).isEmpty();
  }

  @Test
  void anOwnerThatWasNotNamedDoesNotReenter() {
    client.share("n", a, "owner-a");
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    client.tryOnce("m", a);
    assertThat(client.share("m", b, "owner-a")).isInstanceOf(Queued.class);
  }

  @Test
  void M1_inspectTellsEverything() {
    assertThat(client.backend.inspect("n")).isEmpty();
    long start = System.nanoTime();
    Grant granted = (Grant) client.share("n", a, "saga é");
    client.queue("n", b);
    client.queue("n", c);
    HoldInfo info = client.backend.inspect("n").orElseThrow();
    assertThat(info.owner()).isEqualTo("saga é");
    assertThat(info.host()).isEqualTo("host-a:42");
    assertThat(info.fencingToken()).isEqualTo(granted.fencingToken());
    assertThat(info.waiters()).isEqualTo(2);
    assertThat(info.since()).isBetween(Instant.now().minusSeconds(60), Instant.now());
    assertRemains(LEASE, start);
  }

  /** But for what has passed since it was asked for, in whole milliseconds. */
  private void assertRemains(Duration lease, long asked) {
    Duration remaining = client.backend.inspect("n").orElseThrow().remaining();
    Duration passed = Duration.ofNanos(System.nanoTime() - asked);
    assertThat(remaining).isBetween(lease.minus(passed).minusMillis(1), lease);
  }

  @Test
  void M2_aForcedReleaseTellsTheVictimAndServesTheNext() throws InterruptedException {
    assertThat(client.backend.forceRelease("n")).isFalse();
    client.tryOnce("n", a);
    client.queue("n", b);
    assertThat(client.backend.forceRelease("n")).isTrue();
    assertThat(client.event()).isEqualTo("revoked n " + a);
    assertThat(client.grant().grant().id()).isEqualTo(b);
  }

  @Test
  void noKeyIsWithoutAnExpiryButTheCounter() throws InterruptedException {
    client.tryOnce("n", a, Duration.ofSeconds(3));
    assertThat(Long.parseLong(server.command("PTTL", keys().get(0)))).isBetween(1L, 3_001L);
    client.queue("n", b);
    assertThat(keys()).hasSize(1);
    assertThat(Long.parseLong(server.command("PTTL", keys().get(0)))).isBetween(15_000L, 20_100L);
  }

  @Test
  void M3_aKeyLivesNoLongerThanTheHoldThatFollowsALongerOne() {
    client.tryOnce("n", a, Duration.ofSeconds(60));
    client.backend.attempt(fair("n", b, Duration.ofSeconds(5), PATIENT));
    long called = System.nanoTime();
    assertThat(client.release("n", a).granted().id()).isEqualTo(b);
    assertThatItsKeyLivesAsLong(Duration.ofSeconds(5), called);
  }

  @Test
  void M3_aKeyIsKeptForTheLeaseOfWhoHasYetToConfirmIt() throws InterruptedException {
    client.tryOnce("n", a, Duration.ofMinutes(10));
    try (TestClient other = TestClient.open(server)) {
      HoldId next = other.id();
      other.queue("n", next);
      client.release("n", a);
      assertThat(other.grant().grant().id()).isEqualTo(next);
      assertThat(Long.parseLong(server.command("PTTL", keys().get(0)))).isBetween(20_000L, 30_001L);
    }
  }

  @Test
  void M3_aKeyLivesNoLongerThanTheHoldThatAnExpiredOneLeaves() throws InterruptedException {
    Attempt permit = fair("n", a, Duration.ofMillis(100), Duration.ZERO).withUnits(1, 2);
    client.backend.attempt(permit);
    long called = System.nanoTime();
    client.backend.attempt(fair("n", b, Duration.ofSeconds(5), Duration.ZERO).withUnits(1, 2));
    HoldId c = client.id();
    client.queue("n", c);
    client.backend.abandon("n", c);
    TimeUnit.MILLISECONDS.sleep(150);
    client.backend.attempt(
        fair("n", client.id(), Duration.ofSeconds(2), Duration.ZERO).withUnits(1, 2));
    assertThatItsKeyLivesAsLong(Duration.ofSeconds(5), called);
  }

  /** As a lease that was asked for after this moment: neither less nor more. */
  private void assertThatItsKeyLivesAsLong(Duration lease, long called) {
    long lives = Long.parseLong(server.command("PTTL", keys().get(0)));
    long least = lease.minusNanos(System.nanoTime() - called).toMillis();
    assertThat(lives).isBetween(least - 5, lease.toMillis() + 1);
  }

  @Test
  void X4_namesMayHoldAnything() {
    List<String> names = List.of("}:lock:", "{a}", "a b", "é", "é", "*", "#1", " ", "n\nm");
    for (String name : names) {
      HoldId holder = client.id();
      HoldId waiter = client.id();
      assertThat(client.tryOnce(name, holder)).isInstanceOf(Grant.class);
      client.queue(name, waiter);
      assertThat(client.release(name, holder).granted().name()).isEqualTo(name);
      client.release(name, waiter);
    }
    assertThat(keys()).isEmpty();
  }
}
