package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.contract.Undisturbed;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaseTest {
  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  @DisplayName("L1 validity is counted from before the send, however late the reply")
  void countsFromSend() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Lease> task = Task.run(() -> client.acquire("x", 30_000));
    gate.awaitReached();
    Await.pass(150);
    gate.open();
    assertThat(task.get().remaining()).isLessThan(Duration.ofMillis(29_850));
    task.get().release();
  }

  @Undisturbed(millis = 250)
  @DisplayName("L2 a grant whose reply took longer than its lease is asked for again")
  void repeatsLateGrant() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Lease> task = Task.run(() -> client.acquire("x", 1000));
    gate.awaitReached();
    Await.pass(1050);
    gate.open();
    Lease lease = task.get();
    assertThat(lease.remaining()).isPositive();
    lease.release();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("L2 a single attempt whose reply took longer than its lease fails and holds nothing")
  void failsLateGrant() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Optional<Lease>> task = Task.run(
        () -> client.locks().tryAcquire(LockRequest.of("x").withLease(Duration.ofMillis(250))));
    gate.awaitReached();
    Await.pass(260);
    gate.open();
    assertThatThrownBy(task::get).isInstanceOf(BackendUnavailableException.class);
    rig.awaitNothingLeft();
  }

  @Undisturbed(millis = 250)
  @DisplayName("L2 a lease that ran out between grant and return is not returned")
  void repeatsStaleGrant() throws Exception {
    AtomicBoolean slow = new AtomicBoolean(true);
    LockListener listener = new LockListener() {
      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        if (slow.getAndSet(false)) {
          Await.pass(1050);
        }
      }
    };
    Rig.Client paused = rig.open(Duration.ofSeconds(30), listener);
    Lease lease = paused.acquire("x", 1000);
    assertThat(lease.remaining()).isPositive();
    lease.release();
    slow.set(true);
    Lease async = Rig.join(paused
        .locks()
        .acquireAsync(LockRequest.of("y").withLease(Duration.ofSeconds(5)).renewing()));
    assertThat(async.isValid()).isTrue();
    async.release();
  }

  @Test
  @DisplayName("L3 validity ends without I/O")
  void endsWithoutAsking() throws Exception {
    Lease lease = client.acquire("x", 1000);
    int calls = client.backend().allCalls();
    Await.until("it ran out", () -> !lease.isValid());
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    assertThat(client.backend().allCalls()).isEqualTo(calls);
  }

  @Test
  @DisplayName("L4 every way to acquire honours its lease, also after a shorter one")
  void honoursLease() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    lock.tryLock(Duration.ZERO, Duration.ofSeconds(2));
    lock.unlock();
    long called = System.nanoTime();
    lock.lock();
    assertLasts(lock.lease(), Duration.ofSeconds(30), called);
    lock.unlock();
    LockRequest request = LockRequest.of("x").withLease(Duration.ofSeconds(7));
    long calledAgain = System.nanoTime();
    for (Lease lease : new Lease[] {
      client.locks().acquire(request.withOwner("me")),
      client.locks().tryAcquire(request.withOwner("me")).orElseThrow(),
      Rig.join(client.locks().acquireAsync(request.withOwner("me")))
    }) {
      assertLasts(lease, request.lease().orElseThrow(), calledAgain);
      lease.release();
    }
  }

  /** But for what has passed since it was asked for, and what is taken off for the clocks. */
  static void assertLasts(Lease lease, Duration length, long called) {
    Duration remaining = lease.remaining();
    Duration passed = Duration.ofNanos(System.nanoTime() - called);
    assertThat(remaining).isBetween(length.minus(passed).minusMillis(100), length);
  }

  @Test
  @DisplayName("L4 the longest waits and leases overflow nowhere")
  void survivesHugeTimes() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
    Lease held = lock.lease();
    LockRequest request = LockRequest.of("x")
        .withWait(Duration.ofSeconds(Long.MAX_VALUE))
        .withLease(LockRequest.MAX_LEASE);
    Task<Lease> waiting = Task.run(() -> client.locks().acquire(request));
    CompletableFuture<Lease> async = client.locks().acquireAsync(request);
    waiting.awaitParked();
    assertThat(held.extend(LockRequest.MAX_LEASE)).isTrue();
    lock.unlock();
    // Either may have come first, and the grant reaches the future a moment later.
    Await.until("one of them is granted", () -> async.isDone() || waiting.isDone());
    boolean asyncFirst = async.isDone();
    Lease first = asyncFirst ? Rig.join(async) : waiting.get();
    assertThat(first.remaining()).isGreaterThan(Duration.ofDays(360));
    first.release();
    Lease second = asyncFirst ? waiting.get() : Rig.join(async);
    second.release();
  }

  @Undisturbed(millis = 250)
  @DisplayName("L6 an expired lease frees the lock without a release")
  void freesExpired() throws Exception {
    client.acquire("x", 80);
    long start = System.nanoTime();
    Lease next = rig.open().acquire("x");
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MILLISECONDS.toNanos(1080));
    next.release();
  }

  @Test
  @DisplayName(
      "L7 a lease that cannot be renewed is lost before its validity passes, then is freed")
  void signalsExpiry() throws Exception {
    Rig.Client quick = rig.open(Duration.ofSeconds(2));
    // A machine that stands still for a moment may be late once, an engine that is late always is.
    boolean early = false;
    for (int i = 0; i < 4 && !early; i++) {
      early = isToldBeforeTheEnd(quick);
    }
    assertThat(early).isTrue();
  }

  private boolean isToldBeforeTheEnd(Rig.Client quick) throws Exception {
    Lease lease = quick.acquire("x");
    quick.backend().always(Operation.RENEW, Fault.requestLost());
    long validUntil = System.nanoTime() + lease.remaining().toNanos();
    CompletableFuture<Long> at = new CompletableFuture<>();
    lease.lost().thenAccept(reason -> at.complete(System.nanoTime()));
    boolean early = Rig.join(at) - validUntil < 0;
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.EXPIRED);
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    quick.backend().heal();
    rig.awaitNothingLeft();
    return early;
  }

  @Test
  @DisplayName("L7 a forced release reaches the victim by its message")
  void signalsForce() throws Exception {
    Lease lease = client.acquire("x");
    assertThat(rig.open().locks().forceRelease("x")).isTrue();
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.FORCED);
    assertThatThrownBy(lease::ensureValid).hasMessageContaining("FORCED");
  }

  @Test
  @DisplayName("L7 a forced release that is heard of before the grant's answer is not forgotten")
  void signalsForceBeforeGrant() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Lease> attempt = Task.run(() -> client.acquire("x"));
    gate.awaitReached();
    assertThat(rig.open().locks().forceRelease("x")).isTrue();
    // Before the lease is given, it would be asked for once more.
    Gate look = client.backend().next(Operation.RENEW, Gate.beforeServer());
    gate.open();
    Lease lease = attempt.get();
    look.open();
    // Its first renewal is due after ten seconds only.
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.GONE);
  }

  @Test
  @DisplayName("L7 a forced release before an attempt that was repeated does not end its grant")
  void keepsGrantAfterForce() throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeServer());
    Task<Lease> attempt = Task.run(() -> client.acquire("x"));
    gate.awaitReached();
    assertThat(rig.open().locks().forceRelease("x")).isTrue();
    gate.open();
    Lease lease = attempt.get();
    Await.until("a look at the hold", () -> client.backend().calls(Operation.RENEW) == 1);
    Await.pass(100);
    assertThat(lease.isValid()).isTrue();
    lease.release();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("L7 an attempt that runs late, after a forced release, locks nobody out")
  void removesLateGrantAfterForce() throws Exception {
    FaultyBackend.Late late = client.backend().next(Operation.ATTEMPT, new FaultyBackend.Late());
    Lease lease = client.acquire("x");
    assertThat(rig.open().locks().forceRelease("x")).isTrue();
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.FORCED);
    late.runNow();
    Await.until("it is removed again", () -> client.isFree("x"));
  }

  @Test
  @DisplayName("L7 a hold that the server forgot is lost at the next renewal, or at the release")
  void signalsGone() throws Exception {
    Rig.Client quick = rig.open(Duration.ofSeconds(6));
    quick.backend().dropEvents();
    Lease lease = quick.acquire("x");
    client.locks().forceRelease("x");
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.GONE);

    Lease fixed = quick.acquire("x", 5000);
    client.locks().forceRelease("x");
    assertThat(fixed.isValid()).isTrue();
    assertThatThrownBy(fixed::release).isInstanceOf(LeaseLostException.class);
    assertThat(Rig.join(fixed.lost())).isEqualTo(LostReason.GONE);
  }

  @Test
  @DisplayName("L7 a hold whose grant was overtaken by its end is lost, and hides no later one")
  void losesOvertakenGrant() throws Exception {
    client.backend().dropEvents();
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Lease> overtaken = Task.run(() -> client.acquire("x", 60_000));
    gate.awaitReached();
    assertThat(rig.open().locks().forceRelease("x")).isTrue();
    Lease later = client.acquire("x", 60_000);
    Gate looks = Gate.beforeServer(); // before the lease is given, it would be asked for once more
    client.backend().always(Operation.RENEW, looks);
    gate.open();
    Lease lost = overtaken.get();
    looks.open();
    assertThat(Rig.join(lost.lost())).isEqualTo(LostReason.GONE);
    assertThat(later.isValid()).isTrue();
    Task<Lease> next = Task.run(() -> client.acquire("x", 60_000));
    next.awaitParked();
    later.release();
    next.get().release();
  }

  @Test
  @DisplayName("L7 an orderly release is no loss")
  void staysSilentAfterRelease() throws Exception {
    Lease lease = client.acquire("x", 1000);
    CompletableFuture<LostReason> lost = lease.lost().toCompletableFuture();
    lease.release();
    Await.pass(1100);
    assertThat(lost).isNotDone();
  }

  @Test
  @DisplayName("L7 an entry that was released in order is not told of the loss of a later one")
  void tellsOnlyThoseWhoHold() throws Exception {
    LockRequest owned = LockRequest.of("x").withOwner("o");
    Lease first = client.locks().acquire(owned);
    Lease second = client.locks().acquire(owned);
    CompletableFuture<LostReason> early = first.lost().toCompletableFuture();
    first.release();
    assertThat(client.locks().forceRelease("x")).isTrue();
    assertThat(Rig.join(second.lost())).isEqualTo(LostReason.FORCED);
    assertThat(early).isNotDone();
    assertThat(first.lost().toCompletableFuture()).isNotDone();
  }

  @Test
  @DisplayName("L7 a loss is told also while the application keeps the common pool busy")
  void tellsLossWhileCommonPoolIsBusy() throws Exception {
    CountDownLatch busy = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
    CountDownLatch end = new CountDownLatch(1);
    for (long i = busy.getCount(); i > 0; i--) {
      ForkJoinPool.commonPool().execute(() -> {
        busy.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
    }
    busy.await();
    try {
      Lease lease = client.acquire("x");
      client.locks().forceRelease("x");
      assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.FORCED);
    } finally {
      end.countDown();
    }
  }
}
