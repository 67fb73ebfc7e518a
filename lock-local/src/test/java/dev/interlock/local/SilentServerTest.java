package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asynchronous requests while the server of other locks of their client is silent. */
@Timeout(60)
class SilentServerTest {
  private static final LockRequest X = LockRequest.of("x");

  /** All threads that a client ever has for asynchronous requests. */
  private static final int MOST_THREADS = 32;

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  private void ask(int locks, List<CompletableFuture<Lease>> asked) {
    for (int i = 0; i < locks; i++) {
      asked.add(client.locks().acquireAsync(LockRequest.of("silent " + i)));
    }
  }

  private static Lease soon(CompletableFuture<Lease> future) throws Exception {
    return future.get(5, TimeUnit.SECONDS); // which is less than a gate stays shut
  }

  @Test
  @DisplayName("W4 an asynchronous request gets its lock beside many on a server that is silent")
  void goesOnBesideSilence() throws Exception {
    List<CompletableFuture<Lease>> others = new ArrayList<>();
    List<Gate> silent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      silent.add(client.backend().next(Operation.ATTEMPT, Gate.beforeServer()));
    }
    try {
      ask(silent.size(), others);
      silent.get(11).awaitReached(); // or X comes before one of them, and takes its gate
      soon(client.locks().acquireAsync(X)).release();
      assertThat(others).noneMatch(CompletableFuture::isDone);
    } finally {
      silent.forEach(Gate::open);
    }
  }

  @Test
  @DisplayName("W4 who waits asks again beside many on a server that is silent, and so do others")
  void asksAgainBesideSilence() throws Exception {
    client.backend().withoutQueue();
    Lease held = client.acquire("x", 20_000);
    CompletableFuture<Lease> first = client.locks().acquireAsync(X);
    client.awaitStepOver(); // or the other may be the first
    Task<Lease> behind = Task.run(() -> client.locks().acquire(X.withWait(Duration.ofSeconds(8))));
    behind.awaitParked();
    List<CompletableFuture<Lease>> others = new ArrayList<>();
    List<Gate> silent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      silent.add(client.backend().next(Operation.ATTEMPT, Gate.beforeServer()));
    }
    try {
      ask(silent.size(), others);
      silent.get(11).awaitReached();
      held.release();
      soon(first).release();
      behind.get().release();
      assertThat(others).noneMatch(CompletableFuture::isDone);
    } finally {
      silent.forEach(Gate::open);
    }
  }

  @Undisturbed(millis = 200)
  @DisplayName("E3 who could not be asked for, as all threads wait, is not told 'held by another'")
  void tellsThatNobodyAsked() throws Exception {
    other.acquire("x", 4000); // then the first who waits is to ask again
    client.backend().withoutQueue();
    CompletableFuture<Lease> first = client.locks().acquireAsync(X.withWait(Duration.ofSeconds(5)));
    client.awaitStepOver();
    Task<Lease> behind =
        Task.run(() -> client.locks().acquire(X.withWait(Duration.ofMillis(5500))));
    behind.awaitParked();
    assertThat(client.backend().calls(Operation.ATTEMPT)).isEqualTo(1);
    Gate silent = Gate.beforeServer();
    client.backend().always(Operation.ATTEMPT, silent);
    List<CompletableFuture<Lease>> others = new ArrayList<>();
    try {
      ask(2 * MOST_THREADS, others);
      Await.until(
          "all threads wait", () -> client.backend().calls(Operation.ATTEMPT) == 1 + MOST_THREADS);
      CompletableFuture<Lease> never =
          client.locks().acquireAsync(LockRequest.of("y").withWait(Duration.ofMillis(50)));
      assertThatThrownBy(() -> Rig.join(never))
          .hasCauseInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("not asked for");
      assertThatThrownBy(behind::get)
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("whether it is still held is not known");
      assertThatThrownBy(() -> Rig.join(first))
          .hasCauseInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("not asked for");
      assertThat(client.backend().calls(Operation.ATTEMPT)).isEqualTo(1 + MOST_THREADS);
    } finally {
      silent.open();
    }
  }

  @Undisturbed(millis = 900)
  @DisplayName("E3 a wait that is over before its first step does not end with 'held by another'")
  void asksOnceHoweverShortTheWait() throws Exception {
    LockRequest shortest = X.withWait(Duration.ofNanos(1));
    for (int i = 0; i < 2000; i++) { // the timer is the first in one of ten
      soon(client.locks().acquireAsync(shortest)).release();
    }
  }

  @Undisturbed(millis = 400)
  @DisplayName(
      "X3 W4 a request without a wait that gets its thread late hears what the server said, and"
          + " within a second that it was not asked")
  void hearsTheServerLate() throws Exception {
    other.acquire("x");
    Gate silent = Gate.beforeServer();
    client.backend().always(Operation.ATTEMPT, silent);
    List<CompletableFuture<Lease>> others = new ArrayList<>();
    ask(MOST_THREADS, others);
    Await.until(
        "all threads wait", () -> client.backend().calls(Operation.ATTEMPT) == MOST_THREADS);
    LockRequest once = X.withWait(Duration.ZERO);
    CompletableFuture<Lease> never = client.locks().acquireAsync(once);
    assertThatThrownBy(() -> Rig.join(never))
        .hasCauseInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("not asked for");
    CompletableFuture<Lease> late = client.locks().acquireAsync(once);
    Await.pass(400);
    assertThat(late).isNotDone();
    silent.open();
    assertThatThrownBy(() -> Rig.join(late)).hasCauseInstanceOf(LockTimeoutException.class);
  }
}
