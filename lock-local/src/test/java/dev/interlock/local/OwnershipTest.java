package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OwnershipTest {
  private static final LockRequest OWNED = LockRequest.of("x").withOwner("saga");

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  @DisplayName("O3 the lease of a thread's lock, closed after unlock(), is silent")
  void closesAfterUnlock() {
    DistributedLock lock = client.locks().lock("x");
    lock.lock();
    Lease lease = lock.lease();
    try (lease) {
      lock.unlock();
    }
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::release)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("released before");
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("O5 a lease of a thread's lock stands for its own entry and never for an outer one")
  void standsForItsEntry() {
    DistributedLock lock = client.locks().lock("x");
    lock.lock();
    Lease outer = lock.lease();
    lock.lock();
    Lease inner = lock.lease();
    lock.unlock();
    inner.close();
    assertThat(lock.holdCount()).isEqualTo(1);
    assertThat(outer.isValid()).isTrue();
    assertThat(inner.isValid()).isFalse();

    lock.lock(); // at the same depth, and another entry
    inner.close();
    assertThatThrownBy(inner::release).isInstanceOf(LeaseLostException.class);
    assertThat(lock.holdCount()).isEqualTo(2);

    outer.release(); // before the inner one
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("O3 the lease of a thread's lock that was lost says so, and not that it is foreign")
  void saysThatItWasLost() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    lock.lock();
    Lease lease = lock.lease();
    rig.open().locks().forceRelease("x");
    Rig.join(lease.lost());
    assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
  }

  @Test
  @DisplayName("O3 what a lost lease throws tells the lock, the token and the reason")
  void tellsWhatWasLost() throws Exception {
    Lease forced = client.acquire("forced");
    assertThat(rig.open().locks().forceRelease("forced")).isTrue();
    Rig.join(forced.lost());
    assertLost(forced::ensureValid, "forced", forced.fencingToken(), LostReason.FORCED);
    assertLost(forced::release, "forced", forced.fencingToken(), LostReason.FORCED);

    Lease expired = client.acquire("expired", 50);
    Rig.join(expired.lost());
    assertLost(expired::ensureValid, "expired", expired.fencingToken(), LostReason.EXPIRED);
    assertLost(expired::release, "expired", expired.fencingToken(), LostReason.EXPIRED);

    Lease released = client.acquire("released");
    released.release();
    assertLost(released::ensureValid, "released", released.fencingToken(), null);
    assertLost(released::release, "released", released.fencingToken(), null);

    DistributedLock lock = client.locks().lock("unlocked");
    lock.lock();
    Lease ofThread = lock.lease();
    lock.unlock();
    assertLost(ofThread::release, "unlocked", ofThread.fencingToken(), null);

    Lease ofClosed = client.acquire("closed");
    client.locks().close();
    assertLost(ofClosed::release, "closed", ofClosed.fencingToken(), LostReason.CLOSED);
  }

  private static void assertLost(
      ThrowingCallable call, String name, long token, @Nullable LostReason reason) {
    assertThatExceptionOfType(LeaseLostException.class)
        .isThrownBy(call)
        .withMessageContaining(name)
        .satisfies(lost -> {
          assertThat(lost.name()).isEqualTo(name);
          assertThat(lost.fencingToken()).isEqualTo(token).isPositive();
          assertThat(lost.reason()).isEqualTo(Optional.ofNullable(reason));
        });
  }

  @Test
  @DisplayName("W8 tryAcquire refuses a request that names a wait, before anything is sent")
  void refusesAWait() {
    assertThatThrownBy(() -> client.locks().tryAcquire(OWNED.withWait(Duration.ofSeconds(5))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one attempt")
        .hasMessageContaining("PT5S");
    assertThat(client.backend().allCalls()).isZero();
    client.locks().tryAcquire(OWNED.withWait(Duration.ZERO)).orElseThrow().release();
  }

  @Test
  @DisplayName("O5 n entries of a thread need n releases, keep the token and ask the server once")
  void countsEntries() {
    DistributedLock lock = client.locks().lock("x");
    lock.lock();
    long token = lock.lease().fencingToken();
    lock.lock();
    assertThat(client.locks().lock("x").tryLock()).isTrue();

    assertThat(lock.holdCount()).isEqualTo(3);
    assertThat(lock.lease().fencingToken()).isEqualTo(token);
    lock.unlock();
    lock.unlock();
    assertThat(client.isFree("x")).isFalse();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
    assertThat(client.isFree("x")).isTrue();
    assertThat(lock.holdCount()).isZero();
    assertThat(client.backend().calls(Operation.ATTEMPT)).isEqualTo(1);
    assertThat(client.backend().calls(Operation.RELEASE)).isEqualTo(1);
  }

  @Test
  @DisplayName("O5 an inner entry never shortens the lease, and makes a short one long enough")
  void coversLease() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    long called = System.nanoTime();
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(20));
    lock.tryLock(Duration.ZERO, Duration.ofMillis(50));
    LeaseTest.assertLasts(lock.lease(), Duration.ofSeconds(20), called);
    long calledAgain = System.nanoTime();
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(40));
    LeaseTest.assertLasts(lock.lease(), Duration.ofSeconds(40), calledAgain);
    lock.unlock();
    lock.unlock();
    lock.unlock();
  }

  @Test
  @DisplayName("a re-entry that needs more lease is refused, unsent, where nothing can be renewed")
  void refusesLongerReentry() throws Exception {
    Rig.Client plain = rig.open(EnumSet.of(Capability.FENCED), Duration.ofSeconds(30));
    DistributedLock lock = plain.locks().lock("x");
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(20));
    assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(10))).isTrue();
    assertThatThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofSeconds(30)))
        .isInstanceOf(UnsupportedCapabilityException.class)
        .hasMessageContaining("RENEWABLE");
    assertThat(plain.backend().calls(Operation.RENEW)).isZero();
    assertThat(lock.holdCount()).isEqualTo(2);
    lock.unlock();
    lock.unlock();
  }

  @Test
  @DisplayName("O1 unlock by a thread that does not hold is refused and changes nothing")
  void refusesForeignUnlock() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(lock::lease).isInstanceOf(IllegalMonitorStateException.class);
    Task.run(() -> {
          lock.lock();
          return true;
        })
        .get();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock.tryLock()).isFalse();
    assertThat(client.isFree("x")).isFalse();
  }

  @Test
  @DisplayName("O2 a stale holder cannot affect its successor")
  void leavesSuccessorAlone() throws Exception {
    Lease stale = client.acquire("x", 50);
    Lease successor = rig.open().acquire("x");

    assertThat(stale.isValid()).isFalse();
    assertThat(stale.extend(Duration.ofSeconds(5))).isFalse();
    assertThatThrownBy(stale::release).isInstanceOf(LeaseLostException.class);
    assertThat(successor.fencingToken()).isGreaterThan(stale.fencingToken());
    assertThat(successor.extend(Duration.ofSeconds(60))).isTrue();
    assertThat(client.locks().tryAcquire(LockRequest.of("x"))).isEmpty();
    successor.release();
  }

  @Test
  @DisplayName("O3 a second release is reported and harmless; close after release is silent")
  void reportsDoubleRelease() throws Exception {
    Lease first = client.locks().acquire(OWNED);
    Lease second = client.locks().acquire(OWNED);
    first.release();
    assertThatThrownBy(first::release)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("released before");
    first.close();
    assertThat(first.isValid()).isFalse();
    assertThat(second.isValid()).isTrue();
    assertThat(client.isFree("x")).isFalse();
    second.close();
    second.close();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("O3 releasing a thread's lease twice gives up one entry only")
  void reportsDoubleReleaseOfThread() {
    DistributedLock lock = client.locks().lock("x");
    lock.lock();
    lock.lock();
    Lease lease = lock.lease();
    lease.release();
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    lease.close();
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
  }

  @Test
  @DisplayName("O4 a lease may be released by any thread, a thread's lease by its thread only")
  void bindsToThread() throws Exception {
    Lease lease = client.acquire("x");
    Task.run(() -> {
          lease.release();
          return true;
        })
        .get();
    assertThat(client.isFree("x")).isTrue();

    client.locks().lock("x").lock();
    Lease owned = client.locks().lock("x").lease();
    Task<Boolean> other = Task.run(() -> {
      owned.release();
      return true;
    });
    assertThatThrownBy(other::get).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(owned.isValid()).isTrue();
    owned.release();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("O6 a re-entry that fails or is interrupted leaves the count as it was")
  void undoesFailedEntry() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(10));

    client.backend().always(Operation.RENEW, Fault.refused());
    assertThatThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofSeconds(60)))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(lock.holdCount()).isEqualTo(1);

    Thread.currentThread().interrupt();
    assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("O5 a named owner re-enters from any thread of the client")
  void reentersByOwner() throws Exception {
    Lease outer = client.locks().acquire(OWNED);
    Lease inner = Task.run(() -> client.locks().acquire(OWNED)).get();
    assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
    assertThat(client.locks().tryAcquire(OWNED.withOwner("other"))).isEmpty();
    outer.release();
    assertThat(inner.isValid()).isTrue();
    inner.release();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName(
      "O5 a named owner whose attempt loses against its own other thread re-enters at once")
  void reentersAfterRace() throws Exception {
    Rig.Client plain =
        rig.open(EnumSet.of(Capability.FENCED, Capability.RENEWABLE), Duration.ofSeconds(30));
    Gate gate = plain.backend().next(Operation.ATTEMPT, Gate.beforeServer());
    Task<Lease> slow = Task.run(() -> plain.locks().acquire(OWNED));
    gate.awaitReached();
    Gate single = plain.backend().next(Operation.ATTEMPT, Gate.beforeServer());
    Task<Optional<Lease>> once = Task.run(() -> plain.locks().tryAcquire(OWNED));
    single.awaitReached();
    Lease fast = plain.locks().acquire(OWNED);
    gate.open();
    single.open();

    assertThat(slow.get().fencingToken()).isEqualTo(fast.fencingToken());
    assertThat(once.get()).isPresent();
    once.get().orElseThrow().release();
    slow.get().release();
    fast.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName(
      "E3 a re-entry whose extension gets no answer does not say that another holds the lock")
  void tellsOfReentryWithoutAnswer() throws Exception {
    Lease outer = client.locks().acquire(OWNED.withLease(Duration.ofSeconds(5)));
    Gate gate = client.backend().next(Operation.RENEW, Gate.beforeReply());
    CompletableFuture<Lease> inner = client
        .locks()
        .acquireAsync(OWNED.withLease(Duration.ofSeconds(9)).withWait(Duration.ofMillis(100)));
    gate.awaitReached();
    assertThatThrownBy(() -> Rig.join(inner)).hasCauseInstanceOf(OutcomeUnknownException.class);
    gate.open();
    outer.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("a thread locks again after an earlier lease of its own ran out unreleased")
  void locksAfterExpiry() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(1));
    Lease stale = lock.lease();
    Await.until("the lease ran out", () -> !lock.isHeldByCurrentThread());
    lock.lock();
    assertThat(lock.holdCount()).isEqualTo(1);
    assertThat(lock.lease().remaining()).isGreaterThan(Duration.ofSeconds(20));
    assertThat(stale.isValid()).isFalse();
    assertThatThrownBy(stale::release).isInstanceOf(LeaseLostException.class);
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  @DisplayName("W1 the lock of a thread that ended without unlocking is renewed no more")
  void freesLockOfDeadThread() throws Exception {
    Rig.Client quick = rig.open(Duration.ofMillis(150));
    Task.run(() -> {
          quick.locks().lock("x").lock();
          return true;
        })
        .get();
    Lease next = Task.run(() -> client.acquire("x")).get();
    next.release();
  }
}
