package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Operation;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ManagementTest {
  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  private static List<LockRequest> named(String... names) {
    List<LockRequest> requests = new ArrayList<>();
    for (String name : names) {
      requests.add(LockRequest.of(name));
    }
    return requests;
  }

  @Test
  @DisplayName("M1 inspect tells who holds the lock, and says free when it is free")
  void inspects() throws Exception {
    assertThat(client.locks().inspect("x")).isEmpty();
    Lease lease = client
        .locks()
        .acquire(LockRequest.of("x").withOwner("saga").withLease(Duration.ofSeconds(9)));
    HoldInfo info = other.locks().inspect("x").orElseThrow();
    assertThat(info.owner()).isEqualTo("saga");
    assertThat(info.host()).endsWith(":" + ProcessHandle.current().pid());
    assertThat(info.fencingToken()).isEqualTo(lease.fencingToken());
    assertThat(info.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
    assertThat(info.waiters()).isZero();
    lease.release();
    assertThat(other.locks().inspect("x")).isEmpty();
  }

  @Test
  @DisplayName("M1 inspect tells to whom this client has passed the lock, and T1 its larger token")
  void inspectsPassed() throws Exception {
    int passes = 0;
    for (int round = 0; round < 50 && passes == 0; round++) {
      Lease first = client.acquire("x");
      Task<Lease> one = Task.run(() -> client.acquire("x"));
      one.awaitParked();
      Task<Lease> two = Task.run(() -> client.acquire("x"));
      two.awaitParked();
      first.release(); // through the server, which reserves a token for the other
      Await.until("one has it", () -> one.isDone() || two.isDone());
      Task<Lease> holder = one.isDone() ? one : two;
      int releases = client.backend().calls(Operation.RELEASE);
      holder.get().release();
      Lease last = (holder == one ? two : one).get();
      assertThat(last.fencingToken()).isGreaterThan(holder.get().fencingToken());
      if (client.backend().calls(Operation.RELEASE) == releases) {
        passes++;
        assertThat(client.locks().inspect("x").orElseThrow().fencingToken())
            .isEqualTo(last.fencingToken());
      }
      last.release();
    }
    assertThat(passes).isPositive();
  }

  @Test
  @DisplayName("M2 forceRelease frees the lock, and the victim in the same client learns of it")
  void forces() throws Exception {
    client.backend().dropEvents();
    Lease lease = client.acquire("x");
    assertThat(client.locks().forceRelease("x")).isTrue();
    assertThat(Rig.join(lease.lost())).isIn(LostReason.FORCED, LostReason.GONE);
    assertThat(client.locks().forceRelease("x")).isFalse();
    Lease next = other.acquire("x");
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    assertThat(next.isValid()).isTrue();
    next.release();
  }

  @Test
  @DisplayName("M2 a forced release that nobody heard of is found once events may have been lost")
  void findsWhatWasForced() throws Exception {
    List<String> renewed = Collections.synchronizedList(new ArrayList<>());
    Rig.Client deaf = rig.open(Duration.ofMinutes(5), new LockListener() {
      @Override
      public void renewed(String name, long fencingToken, Duration lease) {
        renewed.add(name);
      }
    });
    deaf.backend().dropEvents();
    // The first of three may be sent a moment before the others are there.
    for (int i = 0; i < 10 && deaf.backend().largestBatch() < 3; i++) {
      assertFindsWhatWasForced(deaf);
    }
    assertThat(deaf.backend().largestBatch()).isEqualTo(3);
    assertThat(renewed).isEmpty();
  }

  private void assertFindsWhatWasForced(Rig.Client deaf) throws Exception {
    Duration minute = Duration.ofMinutes(1);
    Lease fixed = deaf.locks().acquire(LockRequest.of("fixed").withLease(minute));
    Lease kept = deaf.locks().acquire(LockRequest.of("kept").withLease(minute));
    Lease renewing = deaf.acquire("renewing");
    assertThat(other.locks().forceRelease("fixed")).isTrue();
    assertThat(other.locks().forceRelease("renewing")).isTrue();
    assertThat(fixed.isValid()).isTrue();

    deaf.backend().tellInDoubt();
    assertThat(Rig.join(fixed.lost())).isEqualTo(LostReason.GONE);
    assertThat(Rig.join(renewing.lost())).isEqualTo(LostReason.GONE);
    // To look is not to renew.
    assertThat(kept.isValid()).isTrue();
    assertThat(other.locks().inspect("kept").orElseThrow().remaining()).isLessThan(minute);
    kept.release();
  }

  @Test
  @DisplayName("M3 ten thousand names used once, a thousand of them never released, leave nothing")
  void forgetsNames() throws Exception {
    LocalSpace space = LocalSpace.create();
    try (LockClient locks = LocalLocks.using(space)) {
      for (int i = 0; i < 10_000; i++) {
        LockRequest request = LockRequest.of("name" + i);
        if (i % 10 == 0) {
          locks.acquire(request.withLease(Duration.ofMillis(10)));
        } else {
          locks.acquire(request).release();
        }
      }
      Await.until("the last leases ran out", () -> space.size() == 0);
    }
  }

  @Test
  @DisplayName("M5 acquireAll takes all or none, in the order of names")
  void takesAllOrNone() throws Exception {
    Lease taken = other.acquire("b");
    assertThatThrownBy(() -> client
            .locks()
            .acquireAll(List.of(
                LockRequest.of("c"),
                LockRequest.of("b").withWait(Duration.ofMillis(30)),
                LockRequest.of("a"))))
        .isInstanceOf(LockTimeoutException.class);
    assertThat(other.isFree("a")).isTrue();
    taken.release();

    LeaseSet all = client.locks().acquireAll(named("c", "a", "b"));
    assertThat(all.leases()).extracting(Lease::name).containsExactly("c", "a", "b");
    assertThat(all.leases()).allMatch(Lease::isValid);
    all.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName(
      "M5 acquireAll takes what was asked for, however the caller's list changes meanwhile")
  void takesWhatWasAskedFor() throws Exception {
    Lease taken = other.acquire("b");
    List<LockRequest> requests = named("a", "b");
    Task<LeaseSet> task = Task.run(() -> client.locks().acquireAll(requests));
    Await.until("it waits", () -> other.waiters("b") == 1);
    requests.set(1, LockRequest.of("c"));
    taken.release();
    LeaseSet all = task.get();
    assertThat(all.leases()).extracting(Lease::name).containsExactly("a", "b");
    all.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("M5 a set of leases says which one was lost, and extends and releases the others")
  void tellsWhichOfASet() throws Exception {
    LeaseSet all = client.locks().acquireAll(named("c", "a", "b"));
    assertThat(all.extend(Duration.ofSeconds(60))).isTrue();
    assertThat(all.remaining()).isGreaterThan(Duration.ofSeconds(55));
    Lease b = all.lease("b");
    assertThatThrownBy(() -> all.lease("d")).hasMessageContaining("'d'");

    other.locks().forceRelease("b", b.fencingToken());
    assertThat(Rig.join(all.lost())).isEqualTo(new LeaseSet.Loss(b, LostReason.FORCED));
    assertThat(all.isValid()).isFalse();
    assertThat(all.remaining()).isZero();
    assertThatThrownBy(all::ensureValid).hasMessageContaining("'b'");
    assertThat(all.extend(Duration.ofSeconds(90))).isFalse();
    assertThat(all.leases()).filteredOn(lease -> !lease.isValid()).containsExactly(b);
    assertThat(all.lease("a").remaining()).isGreaterThan(Duration.ofSeconds(85));
    assertThat(all.lease("c").remaining()).isGreaterThan(Duration.ofSeconds(85));

    assertThatThrownBy(all::release).isInstanceOf(LeaseLostException.class);
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("M2 forceRelease with a token spares a successor")
  void sparesASuccessor() throws Exception {
    Lease first = client.acquire("x");
    first.release();
    Lease second = client.acquire("x");
    assertThat(other.locks().forceRelease("x", first.fencingToken())).isFalse();
    assertThat(second.isValid()).isTrue();
    assertThat(other.locks().forceRelease("x", second.fencingToken())).isTrue();
    assertThat(Rig.join(second.lost())).isEqualTo(LostReason.FORCED);
  }

  @Test
  @DisplayName("M2 forceRelease refuses a token that is none, and a provider without tokens")
  void refusesTokens() {
    assertThatThrownBy(() -> client.locks().forceRelease("x", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("positive");
    Rig.Client unfenced = rig.open(EnumSet.of(Capability.RENEWABLE), Duration.ofSeconds(30));
    assertThatThrownBy(() -> unfenced.locks().forceRelease("x", 1))
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThat(unfenced.backend().allCalls()).isZero();
  }

  @Test
  @DisplayName("M5 acquireAll gives back what it has when a later lock fails or it is interrupted")
  void givesBack() {
    client.backend().next(Operation.ATTEMPT, call -> call.run());
    client.backend().next(Operation.ATTEMPT, Fault.refused());
    client.backend().next(Operation.ATTEMPT, Fault.refused());
    LockRequest b = LockRequest.of("b").withWait(Duration.ofNanos(1));
    assertThatThrownBy(() -> client.locks().acquireAll(List.of(LockRequest.of("a"), b)))
        .isInstanceOf(BackendUnavailableException.class);
    rig.awaitNothingLeft();

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> client.locks().acquireAll(named("a", "b")))
        .isInstanceOf(InterruptedException.class);
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName(
      "M5 acquireAll with a fixed lease that runs out while others are waited for holds nothing")
  void refusesExpiredPart() throws Exception {
    Lease taken = other.acquire("b");
    LockRequest brief = LockRequest.of("a").withLease(Duration.ofMillis(50));
    Task<LeaseSet> task =
        Task.run(() -> client.locks().acquireAll(List.of(brief, LockRequest.of("b"))));
    Await.until("it waits for the second", () -> isAwaited("b"));
    Await.until("the first has run out", () -> other.isFree("a"));
    taken.release();
    assertThatThrownBy(task::get).isInstanceOf(LeaseLostException.class);
    rig.awaitNothingLeft();
  }

  private boolean isAwaited(String name) {
    return other.locks().inspect(name).orElseThrow().waiters() > 0;
  }

  @Test
  @DisplayName("L4 each fixed lease of acquireAll has its full time at the return, in one request")
  void refreshesFixedLeases() throws Exception {
    Duration lease = Duration.ofSeconds(4);
    Lease taken = other.acquire("d");
    List<LockRequest> requests = new ArrayList<>(named("d", "renewing"));
    for (String name : List.of("a", "b", "c")) {
      requests.add(LockRequest.of(name).withLease(lease));
    }
    Task<LeaseSet> task = Task.run(() -> client.locks().acquireAll(requests));
    Await.until("it waits for the last", () -> isAwaited("d"));
    Await.until(
        "they have lost time",
        () -> other.locks().inspect("a").orElseThrow().remaining().compareTo(lease.minusSeconds(1))
            < 0);
    int renewals = client.backend().calls(Operation.RENEW);
    long released = System.nanoTime();
    taken.release();
    LeaseSet all = task.get();
    Duration remaining = all.remaining();
    Duration passed = Duration.ofNanos(System.nanoTime() - released);
    assertThat(remaining).isGreaterThan(lease.minus(passed).minusMillis(100));
    assertThat(client.backend().calls(Operation.RENEW) - renewals).isEqualTo(1);
    assertThat(client.backend().largestBatch()).isEqualTo(3);
    all.release();

    // None loses as much as the margin of so long a lease, on whatever machine.
    LockRequest lasting = LockRequest.of("a").withLease(Duration.ofHours(1));
    client.locks().acquireAll(List.of(lasting, LockRequest.of("b"))).release();
    assertThat(client.backend().calls(Operation.RENEW) - renewals).isEqualTo(1);
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("L4 acquireAll holds nothing if a lease that lost time cannot be had for longer")
  void givesBackWhatCannotBeRefreshed() throws Exception {
    Lease taken = other.acquire("b");
    LockRequest fixed = LockRequest.of("a").withLease(Duration.ofSeconds(4));
    Task<LeaseSet> task =
        Task.run(() -> client.locks().acquireAll(List.of(fixed, LockRequest.of("b"))));
    Await.until("it waits for the second", () -> isAwaited("b"));
    Await.until(
        "the first has lost time",
        () -> other.locks().inspect("a").orElseThrow().remaining().compareTo(Duration.ofSeconds(3))
            < 0);
    client.backend().next(Operation.RENEW, Fault.replyLost());
    client.backend().next(Operation.RENEW, Fault.refused());
    taken.release();
    assertThatThrownBy(task::get).isInstanceOf(OutcomeUnknownException.class);
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("M5 acquireAll refuses duplicates, an empty list, and what is not supported, unsent")
  void refusesBadLists() {
    assertThatThrownBy(() -> client.locks().acquireAll(named("a", "b", "a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'a' twice");
    assertThatThrownBy(() -> client.locks().acquireAll(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    Rig.Client plain = rig.open(EnumSet.of(Capability.RENEWABLE), Duration.ofSeconds(30));
    assertThatThrownBy(() -> plain
            .locks()
            .acquireAll(List.of(LockRequest.of("a"), LockRequest.of("b").fair(true))))
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThat(plain.backend().allCalls()).isZero();
  }

  @Test
  @DisplayName("M5 clients that name the same locks in any order never deadlock")
  void neverDeadlocks() throws Exception {
    List<Task<Boolean>> tasks = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      Rig.Client who = t % 2 == 0 ? client : other;
      int seed = t;
      tasks.add(Task.run(() -> {
        Random random = new Random(seed);
        List<LockRequest> requests = named("a", "b", "c", "d");
        for (int i = 0; i < 50; i++) {
          Collections.shuffle(requests, random);
          who.locks().acquireAll(requests.subList(0, 3)).release();
        }
        return true;
      }));
    }
    for (Task<Boolean> task : tasks) {
      assertThat(task.get()).isTrue();
    }
  }

  @Test
  @DisplayName("what a provider does not declare is refused before anything is sent")
  void refusesUndeclared() throws Exception {
    Rig.Client bare = rig.open(EnumSet.noneOf(Capability.class), Duration.ofSeconds(30));
    LockRequest fixed = LockRequest.of("x").withLease(Duration.ofSeconds(5));
    LockClient locks = bare.locks();
    assertThatThrownBy(() -> locks.acquire(LockRequest.of("x")))
        .isInstanceOf(UnsupportedCapabilityException.class)
        .hasMessageContaining("a request without withLease(...) needs the capability RENEWABLE");
    assertThatThrownBy(() -> locks.tryAcquire(fixed.renewing()))
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThatThrownBy(() -> locks.acquireAsync(fixed.fair(true)))
        .isInstanceOf(UnsupportedCapabilityException.class)
        .hasMessageContaining("FAIR");
    assertThatThrownBy(() -> locks.lock("x").lock())
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThat(bare.backend().allCalls()).isZero();

    Lease lease = locks.acquire(fixed);
    assertThatThrownBy(lease::fencingToken).isInstanceOf(UnsupportedCapabilityException.class);
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(9)))
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThat(bare.backend().calls(Operation.RENEW)).isZero();
    lease.release();
  }

  @Test
  @DisplayName(
      "a thread whose context class loader sees only the JDK finds the provider all the same")
  void opensWithoutContext() throws Exception {
    Task<Boolean> task = Task.run(() -> {
      Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
      try (LockClient locks = Locks.open("local://?namespace=context")) {
        return locks.tryAcquire(LockRequest.of("x")).isPresent();
      }
    });
    assertThat(task.get()).isTrue();
  }

  @Test
  @DisplayName("A kept fixed lease stays until its time is over, also when its client is closed")
  void keepsFixedLease() throws Exception {
    LockClient first = Locks.open("local://?namespace=kept");
    Lease lease =
        first.acquire(LockRequest.of("x").withLease(Duration.ofSeconds(3)).withWait(Duration.ZERO));
    LockClients.keep(lease);
    LockClients.keep(lease);
    assertThat(lease.isValid()).isFalse();
    assertThat(first.tryAcquire(LockRequest.of("x"))).isEmpty();
    try (Lease renewed = first.acquire(LockRequest.of("y"))) {
      assertThatThrownBy(() -> LockClients.keep(renewed))
          .isInstanceOf(IllegalArgumentException.class);
    }
    first.close();
    try (LockClient second = Locks.open("local://?namespace=kept")) {
      assertThat(second.tryAcquire(LockRequest.of("x"))).isEmpty();
      second.acquire(LockRequest.of("x").withWait(Duration.ofSeconds(10))).release();
    }
  }
}
