package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.DistributedSemaphore;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockRequest;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SemaphoreTest {
  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();
  private final DistributedSemaphore semaphore = client.locks().semaphore("x", 4);
  private final DistributedSemaphore same = other.locks().semaphore("x", 4);

  @AfterEach
  void close() {
    rig.close();
  }

  private void awaitWaiters(int count) {
    Await.until(count + " wait", () -> other.waiters("x") == count);
  }

  @Test
  @DisplayName("C1 no more permits are held than there are")
  void countsPermits() throws Exception {
    Lease three = semaphore.acquire(3);
    assertThat(same.tryAcquire(2)).isEmpty();
    Lease one = same.tryAcquire().orElseThrow();
    assertThat(one.fencingToken()).isGreaterThan(three.fencingToken());
    assertThat(semaphore.tryAcquire(1, Duration.ofMillis(20))).isEmpty();
    HoldInfo info = client.locks().inspect("x").orElseThrow();
    assertThat(info.units()).isEqualTo(3);
    assertThat(info.capacity()).isEqualTo(4);
    assertThat(info.others()).extracting(HoldInfo::units).containsExactly(1);
    three.release();
    assertThatThrownBy(three::release).isInstanceOf(LeaseLostException.class);
    Lease again = same.acquire(3);
    assertThat(semaphore.tryAcquire()).isEmpty();
    again.release();
    one.release();
  }

  @Test
  @DisplayName("C1 permits have no owner: who acquires twice holds twice as many")
  void reentersNothing() throws Exception {
    LockRequest request = semaphore.request(2).withOwner("saga");
    Lease first = client.locks().acquire(request);
    Lease second = other.locks().acquire(request);
    assertThat(client.locks().tryAcquire(request)).isEmpty();
    assertThat(client.locks().inspect("x").orElseThrow().owner()).isEqualTo("saga");
    first.release();
    second.release();
  }

  @Test
  @DisplayName("C1 permits, readers and writers of one name exclude each other as their sizes say")
  void mixesWithOtherKinds() throws Exception {
    LockRequest lock = LockRequest.of("x");
    Lease permit = semaphore.acquire();
    assertThat(other.locks().tryAcquire(lock)).isEmpty();
    Lease reader = other.locks().acquire(lock.shared()); // takes one of four
    Lease two = same.acquire(2);
    assertThat(other.locks().tryAcquire(lock.shared())).isEmpty();
    permit.release();
    reader.release();
    two.release();
    try (Lease writer = other.locks().acquire(lock)) {
      assertThat(writer.isValid()).isTrue();
      assertThat(semaphore.tryAcquire()).isEmpty();
    }
  }

  @Test
  @DisplayName("C3 nobody passes one that waits for many, and all that fit come in together")
  void servesLargeRequestsInTurn() throws Exception {
    Lease held = semaphore.acquire(2);
    CompletableFuture<Lease> large = other.locks().acquireAsync(same.request(4));
    awaitWaiters(1);
    assertThat(semaphore.tryAcquire()).isEmpty();
    CompletableFuture<Lease> small = client.locks().acquireAsync(semaphore.request(1));
    awaitWaiters(2);
    CompletableFuture<Lease> three = client.locks().acquireAsync(semaphore.request(3));
    awaitWaiters(3);
    held.release();
    Lease all = Rig.join(large);
    assertThat(small).isNotDone();
    all.release();
    Rig.join(small).release();
    Rig.join(three).release();
  }

  @Test
  @DisplayName("C4 the smallest size that anybody names counts")
  void judgesEachByItsSize() throws Exception {
    DistributedSemaphore smaller = other.locks().semaphore("x", 2);
    Lease three = semaphore.acquire(3);
    assertThat(smaller.tryAcquire()).isEmpty();
    three.release();
    Lease one = smaller.acquire();
    Lease two = semaphore.acquire();
    assertThat(semaphore.tryAcquire()).isEmpty();
    one.release();
    Lease more = semaphore.acquire(3);
    more.release();
    two.release();
  }

  @Test
  @DisplayName("C2, E1, E2 lost replies make no permit more or less")
  void repeatsWithoutCountingTwice() throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    Lease two = semaphore.acquire(2);
    Lease rest = same.acquire(2);
    client.backend().next(Operation.RELEASE, Fault.replyLost());
    two.release();
    assertThat(same.tryAcquire(3)).isEmpty();
    same.tryAcquire(2).orElseThrow().release();
    rest.release();
    same.tryAcquire(4).orElseThrow().release();
  }

  @Test
  @DisplayName("M5 acquireAll takes permits and locks together")
  void takesPermitsAndLocks() throws Exception {
    try (LeaseSet all =
        client.locks().acquireAll(List.of(LockRequest.of("y").shared(), semaphore.request(4)))) {
      assertThat(all.isValid()).isTrue();
      assertThat(same.tryAcquire()).isEmpty();
    }
  }

  @Test
  void wrongNumbersAreRefused() {
    assertThatThrownBy(() -> semaphore.tryAcquire(5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> semaphore.tryAcquire(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.locks().semaphore("x", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a semaphore has from 1 to 1000000000 permits, not 0");
    assertThatThrownBy(() -> client.locks().semaphore("", 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(semaphore.permits()).isEqualTo(4);
    assertThat(semaphore.request(2).toString()).contains("amount=2 of 4");
  }

  @Test
  @DisplayName("what a provider does not declare is refused before anything is sent")
  void refusesWhatIsNotDeclared() {
    Rig.Client plain = rig.open(EnumSet.of(Capability.RENEWABLE), Duration.ofSeconds(30));
    for (LockRequest request :
        List.of(LockRequest.of("x").shared(), LockRequest.of("x").permits(1, 1))) {
      assertThatThrownBy(() -> plain.locks().tryAcquire(request))
          .isInstanceOf(UnsupportedCapabilityException.class);
      assertThatThrownBy(() -> plain.locks().acquireAll(List.of(LockRequest.of("y"), request)))
          .isInstanceOf(UnsupportedCapabilityException.class);
    }
    assertThatThrownBy(() -> plain.locks().readWriteLock("x"))
        .isInstanceOf(UnsupportedCapabilityException.class)
        .hasMessage("a lock for readers needs the capability SHARED,"
            + " which the provider 'faulty' does not declare");
    assertThatThrownBy(() -> plain.locks().semaphore("x", 1))
        .isInstanceOf(UnsupportedCapabilityException.class);
    assertThat(plain.backend().allCalls()).isZero();
  }
}
