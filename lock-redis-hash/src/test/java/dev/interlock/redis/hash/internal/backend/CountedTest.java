package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.support.contract.Topologies;
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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Read-write locks and semaphores: several holds of one name. */
@Timeout(120)
class CountedTest extends TwoClients {
  private static final int READERS = Integer.MAX_VALUE;
  private static final Duration SHORT = Duration.ofMillis(1_500);

  private static Attempt reader(HoldId id, Duration lease) {
    return TestClient.fair("n", id, lease, TestClient.PATIENT).withUnits(1, READERS);
  }

  private static HoldId read(TestClient client) {
    HoldId id = client.id();
    client.backend.attempt(reader(id, TestClient.LEASE));
    return id;
  }

  private static HoldId write(TestClient client) {
    HoldId id = client.id();
    client.queue("n", id);
    return id;
  }

  private HoldInfo info() {
    return one.backend.inspect("n").orElseThrow();
  }

  @Test
  void R2_oneReleaseLetsInAllReadersInFrontAndTellsTheirClients() throws InterruptedException {
    HoldId writer = write(one);
    List<HoldId> ofOne = List.of(read(one), read(one));
    List<HoldId> ofTwo = List.of(read(two), read(two));
    HoldId next = write(two);
    HoldId behind = read(two);
    Grant first = one.release("n", writer).granted();
    assertThat(first).isNotNull();
    assertThat(first.id()).isEqualTo(ofOne.get(0));
    List<Grant> granted = new ArrayList<>(List.of(first, one.grant().grant()));
    granted.add(two.grant().grant());
    granted.add(two.grant().grant());
    assertThat(granted.stream().map(Grant::id))
        .containsExactly(ofOne.get(0), ofOne.get(1), ofTwo.get(0), ofTwo.get(1));
    assertThat(granted.stream().map(Grant::fencingToken)).isSorted().doesNotHaveDuplicates();
    assertThat(granted).allMatch(grant -> grant.heirs().isEmpty() && grant.tokens() == 1);
    assertThat(info().others()).hasSize(3);
    for (HoldId id : List.of(ofOne.get(1), ofOne.get(0), ofTwo.get(0))) {
      assertThat(one.release("n", id).granted()).isNull();
    }
    Grant alone = two.release("n", ofTwo.get(1)).granted();
    assertThat(alone).isNotNull();
    assertThat(alone.id()).isEqualTo(next);
    assertThat(alone.heirs()).as("a reader is not passed the lock").isEmpty();
    assertThat(alone.fencingToken()).isGreaterThan(granted.get(3).fencingToken());
    assertThat(two.refresh("n", behind)).isNotInstanceOf(Grant.class);
    assertThat(two.grants).isEmpty();
  }

  @Test
  void R2_fiveHundredReadersAndFiveWritersAreServedInOrderTheReadersTogether() throws Exception {
    HoldId holder = write(one);
    List<TestClient> clients = List.of(one, two);
    List<List<HoldId>> groups = new ArrayList<>();
    for (int writer = 0; writer < 5; writer++) {
      List<HoldId> readers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        readers.add(read(clients.get(i % 2)));
      }
      groups.add(readers);
      groups.add(List.of(write(clients.get(writer % 2))));
    }
    long last = 0;
    List<HoldId> before = List.of(holder);
    for (List<HoldId> group : groups) {
      before.forEach(id -> two.release("n", id));
      HoldInfo first = info();
      assertThat(first.others()).as("holders").hasSize(group.size() - 1);
      // All at once, for a grant that is not confirmed goes back to the queue after a while.
      for (RenewalResult renewed : one.renew("n", group)) {
        assertThat(renewed).isInstanceOf(Grant.class);
        assertThat(((Grant) renewed).fencingToken()).isGreaterThan(last);
        last = ((Grant) renewed).fencingToken();
      }
      before = group;
    }
    before.forEach(id -> two.release("n", id));
    assertThat(one.backend.inspect("n")).isEmpty();
  }

  @Test
  void S1_aReleaseTellsOfTheReaderThatGotInAndOfTheOwnersNextHoldBesideIt() {
    HoldId before = write(one);
    HoldId reader = one.id();
    HoldId beside = one.id();
    one.backend.attempt(reader(reader, TestClient.LEASE).withSharedOwner(true));
    Attempt next = Attempt.of("n", beside, "owner-a", TestClient.LEASE)
        .withSharedOwner(true)
        .withPatience(TestClient.PATIENT);

    ReleaseResult result =
        HandOffBackend.release(one.backend, Release.of("n", before).withNext(next));

    assertThat(result.granted()).extracting(Grant::id).isEqualTo(reader);
    assertThat(result.next()).isInstanceOf(Grant.class);
  }

  @Test
  void W9_whoReadsForLongIsNotAmongThoseWhoseReleaseIsAwaited() {
    HoldId writer = write(one);
    List<HoldId> readers = List.of(read(two), read(two), read(two));
    assertThat(((HashBackend) two.backend).knownWaiters()).isEqualTo(3);
    one.release("n", writer);

    assertThat(two.renew("n", readers)).allMatch(Grant.class::isInstance);

    assertThat(((HashBackend) two.backend).knownWaiters()).isZero();
  }

  @Test
  void R2_oneScriptLetsInFiveHundredReaders() throws Exception {
    HoldId writer = write(one);
    for (int i = 0; i < 500; i++) {
      read(two);
    }
    String renewed = server.command("INFO", "commandstats");
    one.release("n", writer);
    assertThat(info().others()).hasSize(499);
    assertThat(calls(server.command("INFO", "commandstats"), "evalsha") - calls(renewed, "evalsha"))
        .as("a release and an inspection")
        .isEqualTo(2);
    for (int i = 0; i < 500; i++) {
      assertThat(two.grant()).isNotNull();
    }
  }

  private static long calls(String statistics, String command) {
    String line = statistics
        .lines()
        .filter(one -> one.startsWith("cmdstat_" + command + ":calls="))
        .findFirst()
        .orElseThrow();
    return Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(',')));
  }

  @Test
  void R2_F4_aDeadWriterKeepsReadersOutNoLongerThanItTakesToFindItDead() throws Exception {
    HoldId held = read(one);
    try (TestClient deaf = TestClient.deaf(server)) {
      HoldId dead = write(deaf);
      HoldId next = one.id();
      assertThat(one.backend.attempt(reader(next, TestClient.LEASE)))
          .as("a reader behind a writer who was there a moment ago, and may only have no mailbox")
          .isInstanceOf(Queued.class);
      Thread.sleep(1_000);
      RenewalResult early = one.refresh("n", next);
      if (early instanceof RenewalResult.Queued queued) { // or the machine stood still
        assertThat(queued.recheck())
            .as("when the writer has been silent for long enough")
            .isLessThanOrEqualTo(Duration.ofMillis(1_802));
      }
      Thread.sleep(2_000);
      assertThat(one.refresh("n", next)).isInstanceOf(Grant.class);
      assertThat(deaf.refresh("n", dead))
          .as("it is back in its place")
          .isInstanceOf(RenewalResult.Queued.class);
    }
    assertThat(one.renew("n", held)).isInstanceOf(Grant.class);
    HoldId alive = write(two);
    assertThat(one.backend.attempt(reader(one.id(), TestClient.LEASE))).isInstanceOf(Queued.class);
    assertThat(two.refresh("n", alive)).isNotInstanceOf(Grant.class);
  }

  @Test
  void C1_C4_theSmallestSizeCounts() {
    HoldId three = one.id();
    assertThat(one.permits("n", three, 3, 4)).isInstanceOf(Grant.class);
    assertThat(one.permits("n", three, 3, 4)).as("a repetition").isInstanceOf(Grant.class);
    HoldId shrunk = two.id();
    assertThat(two.permits("n", shrunk, 1, 3)).isInstanceOf(Queued.class);
    HoldId behind = one.id();
    assertThat(one.permits("n", behind, 1, 4)).as("it does not pass").isInstanceOf(Queued.class);
    two.backend.abandon("n", shrunk);
    assertThat(one.refresh("n", behind)).isInstanceOf(Grant.class);
    assertThat(info().units()).isEqualTo(3);
    assertThat(info().capacity()).isEqualTo(4);
    assertThat(info().others().get(0).units()).isEqualTo(1);
    assertThat(one.tryOnce("n", two.id())).as("a lock of that name").isInstanceOf(Busy.class);
  }

  @Test
  void C2_anExpiredPermitIsGivenToWhoeverWaitsThoughAnotherHoldLastsLonger() throws Exception {
    HoldId longer = one.id();
    assertThat(one.permits("n", longer, 1, 2)).isInstanceOf(Grant.class);
    Attempt brief = TestClient.fair("n", one.id(), SHORT, TestClient.PATIENT).withUnits(1, 2);
    assertThat(one.backend.attempt(brief)).isInstanceOf(Grant.class);
    HoldId waiter = two.id();
    Queued queued = (Queued) two.permits("n", waiter, 1, 2);
    assertThat(queued.recheck())
        .as("when the first hold ends")
        .isLessThanOrEqualTo(SHORT.plusMillis(1));
    Topologies.await(() -> two.refresh("n", waiter) instanceof Grant);
    assertThat(info().others()).hasSize(1);
    assertThat(one.release("n", brief.id()).held()).as("the expired one").isFalse();
    assertThat(info().others()).hasSize(1);
  }

  @Test
  void M2_oneReaderIsTakenByForceAndTheOthersStay() throws Exception {
    HoldId victim = read(one);
    HoldId other = read(two);
    HoldId writer = write(two);
    assertThat(one.backend.forceRelease("n", info().fencingToken())).isTrue();
    assertThat(one.event()).isEqualTo("revoked n " + victim);
    assertThat(two.renew("n", other)).isInstanceOf(Grant.class);
    assertThat(two.events).isEmpty();
    assertThat(two.refresh("n", writer)).isNotInstanceOf(Grant.class);
    assertThat(two.backend.forceRelease("n")).isTrue();
    assertThat(two.event()).isEqualTo("revoked n " + other);
    assertThat(two.grant().grant().id()).isEqualTo(writer);
  }

  @Test
  void T1_R4_aRenewalRaisesTheTokenOfAReaderAndThoseOfAllWhoComeLater() {
    HoldId raised = read(one);
    HoldId other = read(two);
    long least = ((Grant) one.renew("n", raised)).fencingToken() + 1_000_000_000;
    Renewal renewal = Renewal.of("n", raised, TestClient.LEASE, false).withMinToken(least);
    Grant grant = (Grant) RenewalAnswers.collect(one.backend, List.of(renewal)).get(0);
    assertThat(grant.fencingToken()).isEqualTo(least);
    assertThat(((Grant) one.backend.attempt(reader(raised, TestClient.LEASE))).fencingToken())
        .isEqualTo(least);
    assertThat(((Grant) two.renew("n", other)).fencingToken()).isLessThan(least);
    Grant later = (Grant) two.backend.attempt(reader(two.id(), TestClient.LEASE));
    assertThat(later.fencingToken()).isGreaterThan(least);
    for (HoldId id : List.of(raised, other, later.id())) {
      assertThat(one.release("n", id).held()).isTrue();
    }
    Grant writer = (Grant) two.queue("n", two.id());
    assertThat(writer.fencingToken()).isGreaterThan(later.fencingToken());
  }

  @Test
  void R3_aWriterGoesOnAsAReaderBesideItsOwnHoldAloneThough() {
    HoldId writer = write(one);
    HoldId waiting = read(two);
    HoldId inner = one.id();
    Attempt beside = reader(inner, TestClient.LEASE).withBeside(writer);
    assertThat(one.backend.attempt(beside)).isInstanceOf(Grant.class);
    assertThat(two.refresh("n", waiting)).isNotInstanceOf(Grant.class);
    assertThat(two.backend.attempt(reader(two.id(), TestClient.LEASE).withBeside(two.id())))
        .as("beside a hold that is not there")
        .isInstanceOf(Queued.class);
    assertThat(one.release("n", writer).held()).isTrue();
    assertThat(two.refresh("n", waiting)).isInstanceOf(Grant.class);
    assertThat(one.renew("n", inner)).isInstanceOf(Grant.class);
  }

  /** It stood aside when the release looked who is next, and fits though the next one does not. */
  @Test
  void F5_whoComesBackWithAReleaseIsServedByIt() throws Exception {
    try (TestClient deaf = TestClient.deaf(server)) {
      List<HoldId> held = List.of(one.id(), one.id());
      held.forEach(id -> one.permits("n", id, 1, 3));
      HoldId own = deaf.id();
      deaf.permits("n", own, 1, 3);
      Attempt next =
          TestClient.fair("n", deaf.id(), TestClient.LEASE, TestClient.PATIENT).withUnits(1, 3);
      assertThat(deaf.backend.attempt(next)).isInstanceOf(Queued.class);
      assertThat(one.permits("n", one.id(), 3, 3)).isInstanceOf(Queued.class);
      one.release("n", held.get(0));
      assertThat(info().waiters()).as("one of them aside").isEqualTo(2);

      ReleaseResult result =
          HandOffBackend.release(deaf.backend, Release.of("n", own).withNext(next));

      assertThat(Stream.of(result.granted(), result.next()))
          .anySatisfy(grant -> assertThat(grant)
              .isInstanceOfSatisfying(
                  Grant.class, known -> assertThat(known.id()).isEqualTo(next.id())));
      assertThat(info().units() + info().others().get(0).units()).isEqualTo(2);
    }
  }

  @Test
  void C1_theSizeOfAHoldCountsNoLongerThanTheHold() {
    HoldId large = one.id();
    HoldId small = one.id();
    assertThat(one.permits("n", large, 1, 4)).isInstanceOf(Grant.class);
    assertThat(one.permits("n", small, 1, 2)).isInstanceOf(Grant.class);
    HoldId next = two.id();
    assertThat(two.permits("n", next, 1, 4)).isInstanceOf(Queued.class);
    assertThat(one.release("n", small).held()).isTrue();
    assertThat(two.refresh("n", next)).isInstanceOf(Grant.class);
    assertThat(two.permits("n", two.id(), 2, 4)).isInstanceOf(Grant.class);
    assertThat(two.permits("n", two.id(), 1, 4)).isInstanceOf(Queued.class);
  }

  @Test
  void M1_namesOfOwnersMayHoldAnything() {
    List<String> owners = List.of("a\0b", "\1z\1o", "1 2 0\0", "\u00e4\u20ac", " ");
    for (String owner : owners) {
      Attempt attempt = Attempt.of("n", one.id(), owner, TestClient.LEASE)
          .withPatience(TestClient.PATIENT)
          .withUnits(1, 4);
      one.backend.attempt(attempt);
    }
    assertThat(Stream.concat(Stream.of(info()), info().others().stream()).map(HoldInfo::owner))
        .containsExactlyElementsOf(owners.subList(0, 4));
    assertThat(one.backend.waiters("n", 10).orElseThrow().get(0).owner()).isEqualTo(" ");
  }

  @Test
  void aLockThatIsHeldAloneIsStoredInShort() {
    HoldId holder = write(one);
    assertThat(server.command("HGET", key(), "*")).startsWith("h" + holder);
    write(two);
    assertThat(one.release("n", holder).held()).isTrue();
    assertThat(server.command("HGET", key(), "*")).doesNotStartWith("h");
  }

  @Test
  void aLockThatAnotherVersionKeepsIsNotTakenForAFreeOne() {
    write(one);
    server.command(
        "EVAL",
        "redis.call('HSET', KEYS[1], '*', cmsgpack.pack({h = {}, f = {}, w = 0, d = 0}))",
        "1",
        key());
    assertThatThrownBy(() -> one.tryOnce("n", one.id()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("not a lock of this version");
    assertThat(info().fencingToken()).isZero();
    assertThat(one.backend.forceRelease("n")).isTrue();
    assertThat(one.tryOnce("n", one.id())).isInstanceOf(Grant.class);
  }

  private static String key() {
    return server.command("KEYS", "*:lock:n").strip();
  }

  @Test
  void C2_R5_whatAKilledJvmHeldComesBackWithinItsLease() throws Exception {
    try (LockClient client = Locks.open(server.uri("redis-hash"))) {
      for (LockRequest part :
          List.of(LockRequest.of("k").permits(3, 4), LockRequest.of("k").shared())) {
        try (WaitingJvm jvm = WaitingJvm.holding(server.uri("redis-hash"), part.units())) {
          jvm.read();
          LockRequest rest =
              part.units() == 1 ? LockRequest.of("k") : LockRequest.of("k").permits(2, 4);
          assertThat(client.tryAcquire(rest)).isEmpty();
          long start = System.nanoTime();
          jvm.kill();
          try (Lease lease = client.acquire(rest.withWait(Duration.ofSeconds(30)))) {
            assertThat(lease.isValid()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(HoldingMain.LEASE.plusSeconds(5));
          }
        }
      }
    }
  }
}
