package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Late;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultTest {
  private static final LockRequest X = LockRequest.of("x");
  private static final LockRequest BRIEF = X.withWait(Duration.ofMillis(100));

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  private void takesOverAtOnce() throws Exception {
    Task.run(() -> other.acquire("x")).get().release();
  }

  @Test
  @DisplayName("E1 a lost reply to an attempt, retried, makes one hold and one entry")
  void makesOneHold() throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    Lease lease = client.acquire("x");
    lease.release();
    takesOverAtOnce();

    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    Lease once = client.locks().tryAcquire(X).orElseThrow();
    once.release();
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E1 a lost reply to a queued attempt makes one queue entry")
  void makesOneEntry() throws Exception {
    Lease held = other.acquire("x");
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    Task<Lease> task = Task.run(() -> client.locks().acquire(X.fair(true)));
    Await.until("it asked again", () -> client.backend().calls(Operation.ATTEMPT) == 2);
    assertThat(other.waiters("x")).isEqualTo(1);
    held.release();
    task.get().release();
  }

  @Test
  @DisplayName(
      "E3 a backend that returns null in place of an answer has not said \"held by another\"")
  void missesAnAnswer() throws Exception {
    client.backend().always(Operation.ATTEMPT, call -> null);
    assertThatThrownBy(() -> client.locks().tryAcquire(X))
        .isInstanceOf(OutcomeUnknownException.class);
    client.backend().heal();
    client.backend().next(Operation.ATTEMPT, call -> null);
    client.locks().acquire(X.withWait(Duration.ofSeconds(5))).release();
  }

  @Test
  @DisplayName("E3 an attempt that lost its reply and was refused afterwards stays unknown")
  void staysUnknown() throws Exception {
    LockRequest lasting = X.withLease(Duration.ofSeconds(30));
    LockRequest brief = lasting.withWait(Duration.ofMillis(300));
    List<ThrowingCallable> ways = List.of(
        () -> client.locks().tryAcquire(lasting),
        () -> client.locks().acquire(brief),
        () -> client.locks().acquire(brief.fair(true)),
        () -> client.locks().acquireAll(List.of(brief)),
        () -> client.locks().lock("x").tryLock(Duration.ofMillis(300), Duration.ofSeconds(30)),
        () -> joined(client.locks().acquireAsync(brief)));
    for (ThrowingCallable way : ways) {
      client.backend().always(Operation.ATTEMPT, Fault.refused());
      client.backend().next(Operation.ATTEMPT, Fault.replyLost());
      client.backend().always(Operation.ABANDON, Fault.refused());
      assertThatThrownBy(way).isInstanceOf(OutcomeUnknownException.class);
      assertThat(other.isFree("x")).isFalse(); // so it was right to say so
      client.backend().heal();
      takesOverAtOnce();
    }
  }

  @Test
  @DisplayName("E3 a waiter of the server's queue that is not heard of may hold: it stays unknown")
  void staysUnknownInQueue() throws Exception {
    Lease held = other.acquire("x");
    LockRequest brief = X.fair(true).withWait(Duration.ofSeconds(2));
    Task<Lease> task = Task.run(() -> client.locks().acquire(brief));
    Await.until("it queues", () -> other.waiters("x") == 1);
    client.backend().dropEvents();
    // The answer that it queues may be on its way still: what it looks with then is the attempt.
    client.backend().always(Operation.ATTEMPT, Fault.refused());
    client.backend().always(Operation.RENEW, Fault.refused());
    client.backend().always(Operation.ABANDON, Fault.refused());
    client.backend().tellInDoubt();
    held.release();
    assertThatThrownBy(task::get).isInstanceOf(OutcomeUnknownException.class);
    assertThat(other.isFree("x")).isFalse();
    client.backend().heal();
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E3 an extension that lost its reply and was refused afterwards stays unknown")
  void extensionStaysUnknown() throws Exception {
    Lease lease = client.acquire("x", 20_000);
    client.backend().next(Operation.RENEW, Fault.replyLost());
    client.backend().next(Operation.RENEW, Fault.refused());
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(60)))
        .isInstanceOf(OutcomeUnknownException.class);
    client.backend().next(Operation.RENEW, Fault.refused());
    client.backend().next(Operation.RENEW, Fault.refused());
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(60)))
        .isInstanceOf(BackendUnavailableException.class);
    lease.release();

    LockRequest owned = X.withOwner("saga").withLease(Duration.ofSeconds(20));
    Lease outer = client.locks().acquire(owned);
    client.backend().next(Operation.RENEW, Fault.replyLost());
    client.backend().next(Operation.RENEW, Fault.refused());
    assertThatThrownBy(() -> client.locks().tryAcquire(owned.withLease(Duration.ofSeconds(60))))
        .isInstanceOf(OutcomeUnknownException.class);
    outer.release();
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E2 a lost reply to a release, retried, is a release, and frees no successor")
  void releasesOnce() throws Exception {
    Lease lease = client.acquire("x");
    Task<Lease> successor = Task.run(() -> other.acquire("x"));
    successor.awaitParked();
    client.backend().next(Operation.RELEASE, Fault.replyLost());
    lease.release();
    assertThat(lease.lost().toCompletableFuture()).isNotDone();
    assertThat(successor.get().isValid()).isTrue();
    assertThat(client.locks().tryAcquire(X)).isEmpty();
    assertThat(successor.get().extend(Duration.ofSeconds(60))).isTrue();
    successor.get().release();
  }

  @Test
  @DisplayName("E2 a waiter of this client whose grant came with the lost reply goes on at once")
  void findsGrantOfLostReply() throws Exception {
    client.backend().dropEvents();
    for (LockRequest request : new LockRequest[] {X, X.fair(true)}) {
      Lease lease = client.locks().acquire(X.withLease(Duration.ofSeconds(20)));
      Task<Lease> successor = Task.run(() -> client.locks().acquire(request));
      successor.awaitParked();
      client.backend().next(Operation.RELEASE, Fault.replyLost());
      lease.release();
      successor.get().release();
      rig.awaitNothingLeft();
    }
  }

  @Test
  @DisplayName(
      "E6 a release whose outcome stays unknown is said to be so, and is done in the background")
  void finishesUnknownRelease() throws Exception {
    for (Fault fault : new Fault[] {Fault.requestLost(), Fault.replyLost(), Fault.refused()}) {
      Lease lease = client.acquire("x");
      client.backend().next(Operation.RELEASE, fault);
      client.backend().next(Operation.RELEASE, fault);
      assertThatThrownBy(lease::release).isInstanceOf(OutcomeUnknownException.class);
      assertThat(lease.isValid()).isFalse();
      takesOverAtOnce();
    }
  }

  @Test
  @DisplayName("E6 an attempt that runs after its caller gave up is undone")
  void undoesGhost() throws Exception {
    Late late = new Late();
    client.backend().always(Operation.ATTEMPT, late);
    assertThatThrownBy(() -> client.locks().acquire(BRIEF))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> client.locks().tryAcquire(X))
        .isInstanceOf(OutcomeUnknownException.class);
    client.backend().heal();
    Await.until("cleaned up once", () -> client.backend().calls(Operation.ABANDON) >= 2);
    late.runNow();
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E6 an attempt that runs after its repetition was granted and released is undone")
  void undoesGhostOfRepetition() throws Exception {
    Late late = client.backend().next(Operation.ATTEMPT, new Late());
    client.acquire("x").release();
    Await.until("cleaned up once", () -> client.backend().calls(Operation.ABANDON) >= 1);
    late.runNow();
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E6 an abandonment that fails is tried again")
  void repeatsAbandonment() throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    client.backend().next(Operation.ATTEMPT, Fault.refused());
    client.backend().next(Operation.ABANDON, Fault.refused());
    client.backend().next(Operation.ABANDON, Fault.requestLost());
    assertThatThrownBy(() -> client.locks().tryAcquire(X))
        .isInstanceOf(OutcomeUnknownException.class);
    takesOverAtOnce();
  }

  @Test
  @DisplayName("E3 a dead server is an error of its own, never 'held by another', and heals (E5)")
  void tellsFaultFromBusy() throws Exception {
    client.backend().always(Operation.ATTEMPT, Fault.refused());
    assertThatThrownBy(() -> client.locks().acquire(BRIEF))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> client.locks().tryAcquire(X))
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> client.locks().lock("x").tryLock())
        .isInstanceOf(BackendUnavailableException.class);
    assertThatThrownBy(() -> Rig.join(client.locks().acquireAsync(BRIEF)))
        .hasCauseInstanceOf(BackendUnavailableException.class);
    client.backend().heal();
    client.acquire("x").release();
  }

  @Test
  @DisplayName("E3 nobody is told 'held by another' while the one who asks for all meets faults")
  void tellsThoseBehindOfTheFault() throws Exception {
    client.backend().always(Operation.ATTEMPT, Fault.refused());
    Task<Lease> head = Task.run(() -> client.locks().acquire(X.withWait(Duration.ofSeconds(4))));
    Await.until("it asked again", () -> client.backend().calls(Operation.ATTEMPT) >= 2);
    assertThatThrownBy(() -> client.locks().acquire(BRIEF))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("whether it is still held is not known");
    assertThatThrownBy(() -> Rig.join(client.locks().acquireAsync(BRIEF)))
        .hasCauseInstanceOf(BackendUnavailableException.class);
    client.backend().heal();
    head.get().release();
  }

  @Test
  @DisplayName("E3 an attempt without an answer ends an asynchronous wait as an unknown outcome")
  void tellsOfNoAnswer() throws Exception {
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    CompletableFuture<Lease> unheard = client.locks().acquireAsync(BRIEF);
    gate.awaitReached();
    assertThatThrownBy(() -> Rig.join(unheard)).hasCauseInstanceOf(OutcomeUnknownException.class);
    gate.open();
    rig.awaitNothingLeft();
    takesOverAtOnce();
  }

  @Undisturbed(millis = 150)
  @DisplayName(
      "W4 an answer shortly after the end of an asynchronous wait is what the caller hears")
  void hearsLateAnswer() throws Exception {
    Lease held = other.acquire("x");
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    CompletableFuture<Lease> heard = client.locks().acquireAsync(X.withWait(Duration.ofMillis(50)));
    gate.awaitReached();
    Await.pass(200); // the wait is over by now, and a second later would be too late
    assertThat(heard).isNotDone();
    gate.open();
    assertThatThrownBy(() -> Rig.join(heard)).hasCauseInstanceOf(LockTimeoutException.class);
    held.release();
    takesOverAtOnce();
  }

  @Undisturbed(millis = 500)
  @DisplayName("E3 faults that last end an unlimited wait within seconds")
  void endsUnlimitedWait() {
    client.backend().always(Operation.ATTEMPT, Fault.requestLost());
    long start = System.nanoTime();
    assertThatThrownBy(() -> client.acquire("x")).isInstanceOf(OutcomeUnknownException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(4900), Duration.ofSeconds(8));
    assertThat(client.backend().calls(Operation.ATTEMPT)).isBetween(8, 40);
  }

  @Undisturbed(millis = 500)
  @DisplayName(
      "E3 those who wait behind one that asks in vain end with it, not one after the other")
  void endsThoseBehind() throws Exception {
    client.backend().withoutQueue();
    other.acquire("x", 1500); // when that is over, the first of those who wait asks
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waits.add(client.locks().acquireAsync(X));
    }
    Await.pass(300); // until those who ask at once have heard that it is held
    client.backend().always(Operation.ATTEMPT, Fault.refused());
    long start = System.nanoTime();
    for (CompletableFuture<Lease> wait : waits) {
      assertThatThrownBy(() -> wait.get(15, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
    }
    // One after the other they would take 20 s.
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
  }

  @Test
  @DisplayName("E4 short faults are retried within the wait")
  void retriesShortFaults() throws Exception {
    for (int i = 0; i < 4; i++) {
      client.backend().next(Operation.ATTEMPT, i % 2 == 0 ? Fault.refused() : Fault.replyLost());
    }
    Task.run(() -> client.acquire("x")).get().release();
  }

  @Test
  @DisplayName(
      "E3 a backend's bug is an unknown outcome, its final refusal goes to the caller as it is")
  void passesErrorsOn() throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.thrown(new IllegalStateException("bug")));
    client.acquire("x").release();
    LockException last = new LockConfigurationException("no such table");
    client.backend().next(Operation.ATTEMPT, Fault.thrown(last));
    assertThatThrownBy(() -> client.acquire("x")).isSameAs(last);
    client.backend().next(Operation.ATTEMPT, Fault.thrown(last));
    assertThatThrownBy(() -> client.locks().tryAcquire(X)).isSameAs(last);
    client.backend().next(Operation.ATTEMPT, Fault.thrown(last));
    assertThatThrownBy(() -> Rig.join(client.locks().acquireAsync(X))).hasCause(last);
  }

  @Test
  @DisplayName(
      "W4 what is left on a server that is silent takes no thread from asynchronous requests")
  void cleansUpApart() throws Exception {
    Lease held = client.acquire("x");
    List<Gate> silent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      silent.add(client.backend().next(Operation.ABANDON, Gate.beforeServer()));
    }
    try {
      for (int i = 0; i < 8; i++) {
        LockRequest brief = X.fair(true).withWait(Duration.ofMillis(1));
        assertThatThrownBy(() -> client.locks().acquire(brief)).isInstanceOf(LockException.class);
      }
      silent.get(0).awaitReached();
      Rig.join(client.locks().acquireAsync(LockRequest.of("y"))).release();
    } finally {
      silent.forEach(Gate::open);
    }
    held.release();
  }

  private static void joined(CompletableFuture<Lease> future) throws Throwable {
    try {
      future.get(5, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }
}
