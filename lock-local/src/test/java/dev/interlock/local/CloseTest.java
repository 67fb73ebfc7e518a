package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of holds, waits and calls under way when their client is closed. */
@Timeout(60)
class CloseTest {
  private static final LockRequest X = LockRequest.of("x");

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  @DisplayName("E7 close() ends holds, waits and renewals, and everything is refused after it")
  void endsEverything() throws Exception {
    Rig.Client quick = rig.open(Duration.ofSeconds(2));
    Lease held = quick.acquire("x");
    Task<Lease> thread = Task.run(() -> quick.acquire("x"));
    Task<Boolean> uninterruptible = Task.run(() -> {
      quick.locks().lock("x").lock();
      return true;
    });
    Task<Lease> fair = Task.run(() -> quick.locks().acquire(X.fair(true)));
    CompletableFuture<Lease> async = quick.locks().acquireAsync(X);
    thread.awaitParked();
    uninterruptible.awaitParked();
    fair.awaitParked();

    quick.locks().close();
    assertThatThrownBy(thread::get).isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(uninterruptible::get).isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(fair::get).isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> Rig.join(async)).hasCauseInstanceOf(BackendUnavailableException.class);
    assertThat(held.isValid()).isFalse();
    assertThat(Rig.join(held.lost())).hasToString("CLOSED");
    rig.awaitNothingLeft();
    assertThat(quick.backend().isClosed()).isTrue();
    int calls = quick.backend().allCalls();

    assertThatThrownBy(() -> quick.acquire("x")).isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> quick.locks().tryAcquire(X))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> quick.locks().acquireAsync(X))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> quick.locks().lock("x"))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> quick.locks().inspect("x"))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> quick.locks().forceRelease("x"))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(quick.locks().capabilities()).isNotEmpty();
    quick.locks().close();
    Await.pass(1_000); // renewals would come more often
    assertThat(quick.backend().allCalls()).isEqualTo(calls);
    Await.until("its threads ended", () -> quick.threads() == 0);
  }

  @Test
  @DisplayName("E7 a grant whose answer comes during close() is given back")
  void givesBackLateGrant() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    Task<Optional<Lease>> task = Task.run(() -> client.locks().tryAcquire(X));
    gate.awaitReached();
    Task<Boolean> closing = Task.run(() -> {
      client.locks().close();
      return true;
    });
    closing.awaitParked();
    gate.open();
    assertThatThrownBy(task::get).isInstanceOf(BackendUnavailableException.class);
    closing.get();
    Task.run(() -> other.acquire("x")).get().release();
  }

  @Test
  @DisplayName("E7 async waits that have not begun fail as well when the client is closed")
  void failsUnbegunAsync() throws Exception {
    Gate gate = Gate.beforeServer();
    client.backend().always(Operation.ATTEMPT, gate);
    CompletableFuture<?>[] futures = new CompletableFuture<?>[20];
    for (int i = 0; i < futures.length; i++) {
      futures[i] = client.locks().acquireAsync(LockRequest.of("x" + i));
    }
    gate.awaitReached();
    Task<Boolean> closing = Task.run(() -> {
      client.locks().close();
      return true;
    });
    for (CompletableFuture<?> future : futures) {
      assertThatThrownBy(() -> Rig.join(future))
          .hasCauseInstanceOf(BackendUnavailableException.class);
    }
    gate.open();
    closing.get();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("E7 a fault that passes while the client closes leaves nothing behind")
  void closesThroughPassingFault() throws Exception {
    Lease held = other.acquire("x");
    List<CompletableFuture<Lease>> waiting = List.of(
        client.locks().acquireAsync(X.fair(true)), client.locks().acquireAsync(X.fair(true)));
    Await.until("both are queued", () -> other.waiters("x") == 2);
    client.backend().always(Operation.ABANDON, Fault.refused());
    waiting.forEach(future -> future.cancel(true));
    Await.until("both were refused", () -> client.backend().calls(Operation.ABANDON) >= 2);
    client.backend().heal();
    client.backend().next(Operation.ABANDON, Fault.refused());
    client.locks().close();
    assertThat(other.waiters("x")).isZero();
    held.release();
    Task.run(() -> other.acquire("x")).get().release();
  }

  @Test
  @DisplayName("E7 a release that fails while the client closes costs no other hold its release")
  void closesThroughFailedRelease() throws Exception {
    for (String name : List.of("x", "y", "z")) {
      client.acquire(name);
    }
    client.backend().next(Operation.RELEASE, Fault.refused());
    client.locks().close();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("E7 close() releases many locks, however many round trips that takes")
  void releasesMany() throws Exception {
    for (int i = 0; i < 400; i++) {
      client.acquire("x" + i);
    }
    client.backend().always(Operation.RELEASE, call -> {
      Await.pass(20);
      return call.run();
    });
    long start = System.nanoTime();
    client.locks().close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(rig.space().size()).isZero();
  }

  @Test
  @DisplayName("E7 locks on a server that is silent keep no other from its release in close()")
  void releasesBesideSilence() throws Exception {
    Set<String> silent = Set.of("silent 1", "silent 2", "silent 3");
    for (String name : silent) {
      client.acquire(name);
    }
    for (int i = 0; i < 20; i++) {
      client.acquire("x" + i);
    }
    client.backend().silence(silent);
    long start = System.nanoTime();
    client.locks().close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    for (int i = 0; i < 20; i++) {
      assertThat(other.isFree("x" + i)).isTrue();
    }
    for (String name : silent) {
      assertThat(other.locks().forceRelease(name)).isTrue();
    }
  }

  @Test
  @DisplayName("E7 close() with an ill server ends within seconds, also when interrupted")
  void closesIllServer() {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeServer());
    Task<Optional<Lease>> stuck = Task.run(() -> client.locks().tryAcquire(X));
    gate.awaitReached();
    client.backend().always(Operation.RELEASE, Fault.requestLost());
    client.backend().always(Operation.ABANDON, Fault.requestLost());
    Thread.currentThread().interrupt();
    long start = System.nanoTime();
    client.locks().close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    client.backend().heal();
    gate.open();
    assertThatThrownBy(stuck::get).isInstanceOf(LockException.class);
    assertThat(other.locks().forceRelease("x")).isTrue();
  }
}
