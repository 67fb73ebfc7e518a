package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An Error out of a backend is an unknown outcome like any other, and the engine goes on. */
@Timeout(60)
class ErrorsTest {
  private static final LockRequest X = LockRequest.of("x");

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  static Stream<Error> errors() {
    return Stream.of(
        new NoClassDefFoundError("a"),
        new StackOverflowError(),
        new OutOfMemoryError(),
        new AssertionError());
  }

  @ParameterizedTest
  @MethodSource("errors")
  @DisplayName("E3 an Error out of a release reaches its caller, and all who wait are served")
  void servesAfterRelease(Error error) throws Exception {
    Lease held = client.acquire("x");
    Task<Lease> first = Task.run(() -> client.acquire("x"));
    first.awaitParked();
    Task<Lease> fair = Task.run(() -> client.locks().acquire(X.fair(true)));
    fair.awaitParked();
    CompletableFuture<Lease> async = client.locks().acquireAsync(X);
    for (int i = 0; i < 2; i++) {
      client.backend().next(Operation.RELEASE, Fault.thrown(error));
    }
    assertThatThrownBy(held::release)
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCause(error);
    List<Lease> served = new ArrayList<>();
    List<Task<Lease>> threads = new ArrayList<>(List.of(first, fair));
    while (served.size() < 3) {
      Await.until(
          "one more is served", () -> async.isDone() || threads.stream().anyMatch(Task::isDone));
      for (Task<Lease> thread : List.copyOf(threads)) {
        if (thread.isDone()) {
          served.add(thread.get());
          thread.get().release();
          threads.remove(thread);
        }
      }
      if (async.isDone() && !served.contains(async.get())) {
        served.add(async.get());
        async.get().release();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  @DisplayName("E3 an Error out of an attempt is retried while there is time, and then reported")
  void reportsOfAttempt(Error error) throws Exception {
    client.backend().next(Operation.ATTEMPT, Fault.thrown(error));
    client.acquire("x").release();
    client.backend().next(Operation.ATTEMPT, Fault.thrown(error));
    Rig.join(client.locks().acquireAsync(X)).release();
    client.backend().always(Operation.ATTEMPT, Fault.thrown(error));
    LockRequest brief = X.withWait(Duration.ofMillis(50));
    assertThatThrownBy(() -> client.locks().tryAcquire(X))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCause(error);
    assertThatThrownBy(() -> client.locks().acquire(brief)).hasRootCause(error);
    assertThatThrownBy(() -> Rig.join(client.locks().acquireAsync(brief))).hasRootCause(error);
    client.backend().heal();
    client.acquire("x").release();
  }

  @ParameterizedTest
  @MethodSource("errors")
  @DisplayName("N7 an Error out of renewals costs no lease")
  void keepsRenewing(Error error) throws Exception {
    Duration length = Duration.ofSeconds(6);
    Rig.Client quick = rig.open(length);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      leases.add(quick.acquire("x" + i));
    }
    for (int i = 0; i < 3; i++) {
      quick.backend().next(Operation.RENEW, Fault.thrown(error));
    }
    int renewals = quick.backend().calls(Operation.RENEW);
    Await.until(
        "the Errors are over", () -> quick.backend().calls(Operation.RENEW) >= renewals + 3);
    long end = System.nanoTime() + length.toNanos();
    Await.until(
        "all are renewed after them",
        () -> leases.stream()
            .allMatch(lease -> System.nanoTime() + lease.remaining().toNanos() - end > 0));
    assertThat(leases).allMatch(Lease::isValid);
    leases.forEach(Lease::release);
  }

  @Test
  @DisplayName("E6 an Error out of an abandonment leaves nothing behind")
  void abandonsAgain() throws Exception {
    Lease held = client.acquire("x");
    Task<Lease> fair =
        Task.run(() -> client.locks().acquire(X.fair(true).withWait(Duration.ofMillis(50))));
    client.backend().next(Operation.ABANDON, Fault.thrown(new NoClassDefFoundError("a")));
    assertThatThrownBy(fair::get).isInstanceOf(LockException.class);
    Await.until(
        "no waiter is left", () -> client.locks().inspect("x").orElseThrow().waiters() == 0);
    held.release();
  }

  @Test
  @DisplayName("E3 an Error out of inspect and forceRelease is an unknown outcome")
  void reportsOfManagement() throws Exception {
    Lease held = client.acquire("x");
    Error error = new NoClassDefFoundError("a");
    client.backend().next(Operation.INSPECT, Fault.thrown(error));
    assertThatThrownBy(() -> client.locks().inspect("x")).hasRootCause(error);
    client.backend().next(Operation.FORCE_RELEASE, Fault.thrown(error));
    assertThatThrownBy(() -> client.locks().forceRelease("x"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCause(error);
    held.release();
  }
}
