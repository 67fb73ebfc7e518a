package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers, writers and permits as the server grants them, without the engine. */
public abstract class CountedHoldsContract extends CountedHoldsRig {
  /** For subclasses. */
  protected CountedHoldsContract() {}

  /** Lets time pass for a hold, by the server's count. */
  protected abstract void runsOut(HoldId id);

  /** How many holds and waiters of a client the server keeps. */
  protected abstract long kept(TestClient client);

  @Test
  void r2_aRepeatedAttemptOfAWaiterIsGrantedWithTheOthersOfItsStep() throws Exception {
    HoldId writer = held(one, 1, 1);
    HoldId first = waiting(two, 1, ALL);
    HoldId second = waiting(one, 1, ALL);
    HoldId third = waiting(two, 1, ALL);
    waiting(one, 1, 1);

    assertThat(one.release("a", writer).held()).isTrue();
    assertThat(granted(one)).isEqualTo(second);
    assertThat(List.of(granted(two), granted(two))).containsExactly(first, third);
    long before = token(ask(two, first, 1, ALL));
    assertThat(token(ask(one, second, 1, ALL))).isGreaterThan(before);
    assertThat(token(ask(two, third, 1, ALL))).isGreaterThan(before);
    assertThat(token(ask(two, first, 1, ALL))).isEqualTo(before);
    assertThat(one.grants).isEmpty();
    assertThat(one.backend.inspect("a").orElseThrow().waiters()).isEqualTo(1);
  }

  @Test
  void f4_aClientThatDoesNotConfirmIsPassedOverAndKeepsItsPlaces() throws Exception {
    HoldId writer = held(one, 1, 1);
    TestClient dead = client(uri);
    HoldId lost = waiting(dead, 3, 4);
    HoldId other = waiting(dead, 1, 4);
    dead.close();
    HoldId all = waiting(two, 4, 4);
    one.release("a", writer);

    await(() -> ask(two, all, 4, 4) instanceof Grant);
    assertThat(asleep(lost, other)).isEqualTo(2);
  }

  @Test
  void c2_permitsOfADeadClientComeBackByThemselves() throws Exception {
    TestClient dead = client(uri);
    Attempt three = Attempt.of("a", dead.id(), "owner", Duration.ofSeconds(3))
        .withFair(true)
        .withUnits(3, 4);
    assertThat(dead.backend.attempt(three)).isInstanceOf(Grant.class);
    dead.close();
    HoldId fourth = held(one, 1, 4);
    HoldId all = waiting(two, 4, 4);
    HoldId last = waiting(one, 1, 4);
    one.release("a", fourth);

    await(() -> ask(two, all, 4, 4) instanceof Grant);
    assertThat(ask(one, last, 1, 4)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(two.backend.inspect("a").orElseThrow().units()).isEqualTo(4);
  }

  @Test
  void c2_permitsThatRunOutAreGivenToTheFirstOfTheQueue() throws Exception {
    HoldId dead = held(two, 3, 4);
    held(two, 1, 4);
    HoldId waiter = waiting(one, 2, 4);
    HoldId behind = waiting(one, 2, 4);
    runsOut(dead);

    assertThat(renew(two, renewal(dead))).isInstanceOf(RenewalResult.Gone.class);
    assertThat(granted(one)).isEqualTo(waiter);
    assertThat(ask(one, waiter, 2, 4)).isInstanceOf(Grant.class);
    assertThat(ask(one, behind, 2, 4)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(two.release("a", dead).held()).isFalse();
    assertThat(ask(one, behind, 2, 4)).isInstanceOf(AttemptResult.Queued.class);
  }

  @ParameterizedTest(name = "of {0}")
  @ValueSource(ints = {1, 2, ALL})
  void o1_whatIsReleasedAfterItsClaimHasLapsedIsNotGrantedAnew(int capacity) throws Exception {
    HoldId lapsed = lapsed(capacity);
    assertThat(two.release("a", lapsed).held()).isFalse();
    assertThat(one.backend.inspect("a")).isEmpty();
    held(one, 1, 1);
  }

  @ParameterizedTest(name = "of {0}")
  @ValueSource(ints = {1, 2, ALL})
  void n3_aRenewalDoesNotBringBackWhatHasLapsed(int capacity) throws Exception {
    HoldId lapsed = lapsed(capacity);
    assertThat(renew(two, renewal(lapsed))).isInstanceOf(RenewalResult.Gone.class);
    assertThat(one.backend.inspect("a")).isEmpty();
    held(one, 1, 1);
  }

  /** A grant that was not confirmed in time: it stands in the queue again once somebody looks. */
  private HoldId lapsed(int capacity) throws InterruptedException {
    HoldId before = held(one, 1, 1);
    HoldId waiter = waiting(two, 1, capacity);
    one.release("a", before);
    assertThat(granted(two)).isEqualTo(waiter);
    runsOut(waiter);
    return waiter;
  }

  @Test
  void c3_nobodyPassesALargeRequest() throws Exception {
    HoldId first = held(one, 1, 4);
    HoldId second = held(two, 1, 4);
    HoldId all = waiting(two, 4, 4);
    HoldId small = waiting(one, 1, 4);
    assertThat(two.backend.attempt(part(two.id(), 1, 4))).isInstanceOf(AttemptResult.Busy.class);
    one.release("a", first);
    assertThat(ask(one, small, 1, 4)).isInstanceOf(AttemptResult.Queued.class);
    two.release("a", second);
    assertThat(granted(two)).isEqualTo(all);
    assertThat(ask(one, small, 1, 4)).isInstanceOf(AttemptResult.Queued.class);
    two.release("a", all);
    assertThat(granted(one)).isEqualTo(small);
  }

  @Test
  void c4_whoNamesFewerPermitsIsNotLetInBesideTooMany() {
    HoldId first = held(one, 1, 4);
    HoldId second = held(two, 1, 4);
    HoldId shrunk = one.id();
    assertThat(one.backend.attempt(part(shrunk, 1, 2))).isInstanceOf(AttemptResult.Busy.class);
    one.release("a", first);
    assertThat(one.backend.attempt(part(shrunk, 1, 2))).isInstanceOf(Grant.class);
    assertThat(two.backend.attempt(part(two.id(), 1, 4))).isInstanceOf(AttemptResult.Busy.class);
    two.release("a", second);
    assertThat(two.backend.attempt(part(two.id(), 2, 4))).isInstanceOf(AttemptResult.Busy.class);
    assertThat(two.backend.attempt(part(two.id(), 1, 4))).isInstanceOf(Grant.class);
  }

  @Test
  void m2_oneOfManyReadersIsRobbedAndTheOthersAreSpared() throws Exception {
    HoldId first = held(one, 1, ALL);
    HoldId second = held(two, 1, ALL);
    HoldId writer = waiting(two, 1, 1);
    long token = token(renew(one, renewal(first)));

    assertThat(one.backend.forceRelease("a", token)).isTrue();
    assertThat(one.backend.forceRelease("a", token)).isFalse();
    assertThat(one.revoked.poll(5, TimeUnit.SECONDS)).isEqualTo(first);
    assertThat(renew(one, renewal(first))).isInstanceOf(RenewalResult.Gone.class);
    assertThat(renew(two, renewal(second))).isInstanceOf(Grant.class);
    assertThat(releasedTo(two, second)).isEqualTo(writer);
  }

  @Test
  void aRenewalRaisesTheTokenOfOneReaderAndEveryLaterHoldHasALargerOne() {
    HoldId first = held(one, 1, ALL);
    HoldId second = held(two, 1, ALL);
    long token = token(renew(one, renewal(first)));
    long larger = token + 1_000_000_000_000L;

    assertThat(token(renew(one, renewal(first).withMinToken(larger)))).isEqualTo(larger);
    assertThat(token(renew(one, renewal(first).withMinToken(token)))).isEqualTo(larger);
    assertThat(token(ask(one, first, 1, ALL))).isEqualTo(larger);
    assertThat(token(renew(two, renewal(second)))).isLessThan(larger);
    assertThat(one.backend.forceRelease("a", token)).isFalse();
    assertThat(token(ask(two, two.id(), 1, ALL))).isGreaterThan(larger);
  }

  @Test
  void r3_aWriterGoesOnAsAReaderAndLetsThoseInFrontIn() throws Exception {
    HoldId writer = held(one, 1, 1);
    HoldId reader = waiting(two, 1, ALL);
    HoldId next = waiting(two, 1, 1);
    HoldId own = one.id();
    assertThat(one.backend.attempt(part(own, 1, ALL).withBeside(writer))).isInstanceOf(Grant.class);
    assertThat(two.grants).isEmpty();
    one.release("a", writer);
    assertThat(granted(two)).isEqualTo(reader);
    assertThat(renew(two, renewal(reader))).isInstanceOf(Grant.class);
    one.release("a", own);
    assertThat(two.grants).isEmpty();
    assertThat(releasedTo(two, reader)).isEqualTo(next);
  }

  @Test
  void s1_aSharedOwnerReadsAgainBesideAWaitingWriterWithTheSameToken() {
    HoldId outer = one.id();
    HoldId inner = two.id();
    Attempt saga = Attempt.of("a", outer, "saga", TestClient.LEASE)
        .withSharedOwner(true)
        .withFair(true)
        .withUnits(1, ALL);
    long token = token(one.backend.attempt(saga));
    waiting(one, 1, 1);
    assertThat(token(two.backend.attempt(Attempt.of("a", inner, "saga", TestClient.LEASE)
            .withSharedOwner(true)
            .withFair(true)
            .withUnits(1, ALL))))
        .isEqualTo(token);
    assertThat(one.backend.inspect("a").orElseThrow().others()).isEmpty();
    one.release("a", outer);
    assertThat(renew(two, renewal(inner))).isInstanceOf(Grant.class);
  }

  @Test
  void m1_allHoldersAreToldAndAPageCountsLocksAndNotHolders() {
    for (int i = 0; i < 5; i++) {
      held(i % 2 == 0 ? one : two, 1, 7);
    }
    held(one, 2, 8);
    one.attempt("b", one.id(), Duration.ZERO);

    HoldInfo info = two.backend.inspect("a").orElseThrow();
    List<HoldInfo> all = new ArrayList<>(info.others());
    all.add(0, info);
    assertThat(all).extracting(HoldInfo::fencingToken).isSorted().doesNotHaveDuplicates();
    assertThat(all).extracting(HoldInfo::units).containsExactly(1, 1, 1, 1, 1, 2);
    assertThat(all).extracting(HoldInfo::capacity).containsExactly(7, 7, 7, 7, 7, 8);
    // In the order of the store; a third lock is free, and may end the page or not.
    List<HoldInfo> listed = two.backend.list(HoldQuery.of(3)).orElseThrow().holds();
    assertThat(listed).extracting(HoldInfo::name).containsExactlyInAnyOrder("a", "b");
    assertThat(
            listed.stream().filter(hold -> hold.name().equals("a")).findFirst().orElseThrow())
        .satisfies(hold -> assertThat(hold.others()).hasSize(5));
    waiting(two, 3, 9);
    assertThat(one.backend.waiters("a", 2).orElseThrow()).singleElement().satisfies(waiter -> {
      assertThat(waiter.units()).isEqualTo(3);
      assertThat(waiter.capacity()).isEqualTo(9);
    });
  }

  @Test
  void m3_holdsThatRanOutLeaveNoRowsBehind() {
    for (int i = 0; i < 2_000; i++) {
      HoldId id = one.id();
      one.backend.attempt(
          Attempt.of("n" + i, id, "owner", Duration.ofMillis(1)).withFair(true).withUnits(1, ALL));
    }
    assertThat(kept(one)).isLessThanOrEqualTo(64 * 17);
  }
}
