package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingTest {
  private static final LockRequest X = LockRequest.of("x");
  private static final LockRequest FAIR = X.fair(true);

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
    assertThat(client.backend().hasSeenInterrupt()).isFalse();
    assertThat(other.backend().hasSeenInterrupt()).isFalse();
  }

  private Task<Lease> waiting(Rig.Client who, LockRequest request) {
    int before = who.locks().inspect("x").map(info -> info.waiters()).orElse(0);
    Task<Lease> task = Task.run(() -> who.locks().acquire(request));
    if (request.fairness().isPresent()) {
      Await.until("it is queued", () -> waiters() > before);
    }
    task.awaitParked();
    return task;
  }

  private int waiters() {
    return client.locks().inspect("x").map(info -> info.waiters()).orElse(0);
  }

  /** Often, for the last abandonment of a client that closes races with the end of its threads. */
  @RepeatedTest(200)
  @DisplayName("W2 the queue entry of a client that closed blocks nobody")
  void skipsClosedWaiter() throws Exception {
    Lease held = client.acquire("x");
    Task<Lease> dead = waiting(other, FAIR);
    Task<Lease> next = waiting(client, FAIR);
    other.locks().close();
    assertThatThrownBy(dead::get).hasMessageContaining("closed");
    held.release();
    next.get().release();
  }

  @Test
  @DisplayName("W8 a wait without time ends at once: the server has noted nothing to be removed")
  void endsWithoutTimeAtOnce() throws Exception {
    other.acquire("x");
    DistributedLock lock = client.locks().lock("x");
    for (int i = 0; i < 100; i++) { // longer than this test may take, if each takes half a second
      assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
      assertThatThrownBy(() -> client.locks().acquire(X.withWait(Duration.ZERO)))
          .isInstanceOf(LockTimeoutException.class);
    }
    assertThat(client.backend().calls(Operation.ABANDON)).isZero();
  }

  @Test
  @DisplayName("W3 without any event, waiters of the releasing client go on at once")
  void needsNoEventsWithinClient() throws Exception {
    client.backend().dropEvents();
    Lease held = client.acquire("x");
    Task<Lease> barging = waiting(client, X);
    Task<Lease> fair = waiting(client, FAIR);
    held.release();
    Lease first = barging.isDone() ? barging.get() : fair.isDone() ? fair.get() : null;
    if (first == null) {
      Await.until("one goes on", () -> barging.isDone() || fair.isDone());
      first = barging.isDone() ? barging.get() : fair.get();
    }
    first.release();
    (first == barging.get() ? fair : barging).get().release();
  }

  @Test
  @DisplayName(
      "W3 on a server without queue or events a release wakes its own client's next waiter")
  void wakesNextWithoutQueue() throws Exception {
    client.backend().withoutQueue();
    LockRequest fixed = X.withLease(Duration.ofSeconds(20)); // which is never passed on here
    Lease held = client.locks().acquire(fixed);
    Task<Lease> one = Task.run(() -> client.locks().acquire(fixed));
    one.awaitParked();
    Task<Lease> two = Task.run(() -> client.locks().acquire(fixed));
    two.awaitParked();
    held.release();
    one.get().release();
    two.get().release();
  }

  @Test
  @DisplayName("W3 a waiter looks again soon after a release that called another client's waiter")
  void looksAgainWhereAnotherWasCalled() throws Exception {
    client.backend().callsOthers();
    LockRequest fixed = X.withLease(Duration.ofSeconds(20)); // which is never passed on here
    Lease held = client.locks().acquire(fixed);
    Task<Lease> thread = Task.run(() -> client.locks().acquire(fixed));
    thread.awaitParked();
    held.release();
    Lease next = thread.get();
    CompletableFuture<Lease> async = client.locks().acquireAsync(fixed);
    Await.pass(50); // it waits for this client's holder, which nobody can see from outside
    next.release();
    Rig.join(async).release();
  }

  @Test
  @DisplayName(
      "W3 a release between a waiter's first attempt and its entry into the queue wakes it")
  void seesReleaseWhileEntering() throws Exception {
    client.backend().withoutQueue();
    Gate before = Gate.beforeServer();
    Gate reply = Gate.beforeReply();
    client.backend().next(Operation.ATTEMPT, call -> before.around(() -> reply.around(call)));
    Task<Lease> slow = Task.run(() -> client.acquire("x"));
    before.awaitReached(); // it found nobody waiting, and the lock not held here
    Lease fast = client.acquire("x");
    before.open();
    reply.awaitReached(); // the answer says: busy, look again in ten seconds
    fast.release();
    reply.open();
    slow.get().release();
  }

  @Undisturbed(millis = 250)
  @DisplayName("W4 a wait ends at its limit, with an exception or false, and leaves nothing")
  void endsAtLimit() throws Exception {
    Lease held = client.acquire("x");
    LockRequest request = X.withWait(Duration.ofMillis(60));
    for (LockRequest each : List.of(request, request.fair(true))) {
      long start = System.nanoTime();
      assertThatThrownBy(() -> other.locks().acquire(each))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'x' was still held by another");
      assertThat(System.nanoTime() - start)
          .isBetween(TimeUnit.MILLISECONDS.toNanos(60), TimeUnit.MILLISECONDS.toNanos(1060));
    }
    assertThatThrownBy(() -> Rig.join(other.locks().acquireAsync(request)))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(LockTimeoutException.class);
    DistributedLock lock = other.locks().lock("x");
    assertThat(lock.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(lock.tryLock(Duration.ofMillis(20), Duration.ofSeconds(1))).isFalse();
    Await.until("W6 no queue entry is left", () -> waiters() == 0);
    held.release();
  }

  @Undisturbed(millis = 500)
  @DisplayName("W4 E3 many async waits end soon while the server stalls, and not as 'held'")
  void endsAsyncWhileStalled() throws Exception {
    Gate stalled = Gate.beforeServer();
    client.backend().always(Operation.ATTEMPT, stalled);
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      futures.add(client.locks().acquireAsync(X.withWait(Duration.ofMillis(100))));
    }
    long start = System.nanoTime();
    for (CompletableFuture<Lease> future : futures) {
      assertThatThrownBy(() -> Rig.join(future))
          .cause()
          .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    client.backend().heal();
    stalled.open();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("W5 E7 a waiter that is interrupted while its client closes leaves no place behind")
  void leavesNothingWhenInterruptedAndClosed() throws Exception {
    Lease held = client.acquire("x");
    for (int i = 0; i < 300; i++) {
      try (LockClient closing = LocalLocks.using(rig.space())) {
        Task<Lease> task = Task.run(() -> closing.acquire(FAIR));
        Await.until("it is queued", () -> waiters() == 1);
        task.awaitParked();
        task.interrupt();
      }
      assertThat(waiters()).as("round " + i).isZero();
    }
    held.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("W5 an interrupt ends an interruptible wait, clears the flag and leaves nothing")
  void endsByInterrupt() throws Exception {
    Lease held = client.acquire("x");
    for (Rig.Client who : List.of(client, other)) {
      for (LockRequest request : List.of(X, FAIR)) {
        Task<Boolean> task = Task.run(() -> {
          try {
            who.locks().acquire(request);
            return false;
          } catch (InterruptedException e) {
            return !Thread.currentThread().isInterrupted();
          }
        });
        task.awaitParked();
        task.interrupt();
        assertThat(task.get()).isTrue();
      }
    }
    Await.until("no queue entry is left", () -> waiters() == 0);
    held.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("W5 an interrupt before the call is thrown at once, and nothing is sent")
  void refusesInterrupted() {
    int calls = client.backend().allCalls();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> client.locks().acquire(X)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(client.backend().allCalls()).isEqualTo(calls);
  }

  @Test
  @DisplayName("W5 an uninterruptible lock() acquires and leaves the flag set")
  void keepsFlag() throws Exception {
    Lease held = other.acquire("x");
    Task<Boolean> task = Task.run(() -> {
      DistributedLock lock = client.locks().lock("x");
      lock.lock();
      boolean flag = Thread.interrupted();
      lock.unlock();
      return flag;
    });
    task.awaitParked();
    task.interrupt();
    Await.pass(30);
    assertThat(task.isDone()).isFalse();
    held.release();
    assertThat(task.get()).isTrue();
  }

  @Test
  @DisplayName("W5 calls that do not wait neither see nor lose the flag")
  void leavesFlagAlone() {
    Thread.currentThread().interrupt();
    Lease lease = client.locks().tryAcquire(X).orElseThrow();
    assertThat(lease.extend(Duration.ofSeconds(60))).isTrue();
    lease.release();
    client.locks().lock("x").lock();
    client.locks().lock("x").unlock();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  @DisplayName("W6 an async wait that is cancelled or times out leaves nothing")
  void leavesNothingAfterCancel() throws Exception {
    Lease held = client.acquire("x");
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (Rig.Client who : List.of(client, other)) {
      for (LockRequest request : List.of(X, FAIR)) {
        futures.add(who.locks().acquireAsync(request));
        CompletableFuture<Lease> timed =
            who.locks().acquireAsync(request).orTimeout(10, TimeUnit.MILLISECONDS);
        assertThatThrownBy(() -> Rig.join(timed)).hasCauseInstanceOf(TimeoutException.class);
      }
    }
    Await.until("they are queued", () -> waiters() > 0);
    futures.forEach(future -> future.cancel(true));
    Await.until("no queue entry is left", () -> waiters() == 0);
    futures.forEach(
        future -> assertThatThrownBy(future::join).isInstanceOf(CancellationException.class));
    held.release();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("W6 cancelling just before the grant gives the lock back")
  void givesBackAfterCancel() {
    for (int i = 0; i < 300; i++) {
      CompletableFuture<Lease> future = client.locks().acquireAsync(X.fair(i % 2 == 0));
      if (i % 3 == 0) {
        Thread.onSpinWait();
      }
      if (!future.cancel(false)) {
        future.join().release();
      }
    }
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("W6 a release that takes along a waiter that has left does not lock everybody out")
  void cleansUpNextThatLeft() throws Exception {
    Lease held = client.locks().acquire(X.withLease(Duration.ofSeconds(30)));
    CompletableFuture<Lease> next = client.locks().acquireAsync(X);
    client.awaitStepOver(); // it waits behind the other, without a question to the server
    Gate release = client.backend().next(Operation.RELEASE, Gate.beforeServer());
    Task<Boolean> releasing = Task.run(() -> {
      held.release();
      return true;
    });
    release.awaitReached();
    int abandoned = client.backend().calls(Operation.ABANDON);
    next.cancel(true);
    Await.pass(20);
    // A clean-up that overtook the release would find nothing, and the release would bring it back.
    assertThat(client.backend().calls(Operation.ABANDON)).isEqualTo(abandoned);
    release.open();
    releasing.get();
    Await.until(
        "its clean-up comes after the release",
        () -> client.backend().calls(Operation.ABANDON) > abandoned);
    Task.run(() -> other.acquire("x")).get().release();
  }

  @Test
  @DisplayName("W8 tryAcquire and tryLock never wait, and a wait of zero asks once")
  void neverWaits() throws Exception {
    Lease held = other.acquire("x");
    Task<Lease> first = waiting(client, X);
    assertThat(Task.run(() -> client.locks().tryAcquire(X)).get()).isEmpty();
    assertThat(Task.run(() -> client.locks().lock("x").tryLock()).get()).isFalse();
    int asked = client.backend().calls(Operation.ATTEMPT);
    assertThatThrownBy(() -> client.locks().acquire(X.withWait(Duration.ZERO)))
        .isInstanceOf(LockTimeoutException.class);
    assertThatThrownBy(() -> Rig.join(client.locks().acquireAsync(X.withWait(Duration.ZERO))))
        .hasCauseInstanceOf(LockTimeoutException.class);
    assertThat(client.backend().calls(Operation.ATTEMPT)).isEqualTo(asked + 2);
    held.release();
    first.get().release();
  }

  @Test
  @DisplayName(
      "W10 three hundred waiters of two clients, fair, barging and async, all get the lock")
  void servesEverybody() throws Exception {
    Lease held = client.acquire("x");
    List<Task<Boolean>> tasks = new ArrayList<>();
    List<CompletableFuture<Boolean>> futures = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Rig.Client who = i % 2 == 0 ? client : other;
      LockRequest request = X.fair(i % 3 == 0);
      if (i % 5 == 0) {
        futures.add(who.locks().acquireAsync(request).thenApply(lease -> {
          lease.release();
          return true;
        }));
      } else {
        tasks.add(Task.run(() -> {
          who.locks().acquire(request).release();
          return true;
        }));
      }
    }
    held.release();
    for (Task<Boolean> task : tasks) {
      assertThat(task.get()).isTrue();
    }
    for (CompletableFuture<Boolean> future : futures) {
      assertThat(Rig.join(future)).isTrue();
    }
    rig.awaitNothingLeft();
  }
}
