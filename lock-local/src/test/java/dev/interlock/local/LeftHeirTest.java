package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release of a client hands the lock to a waiter of that client that has just left. */
@Timeout(20)
class LeftHeirTest {
  private static final LockRequest X = LockRequest.of("x");

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  @DisplayName("W3 who waits behind it asks the server, also if what it left cannot be removed")
  void wakesTheNext() throws Exception {
    Lease held = other.acquire("x");
    CompletableFuture<Lease> fair = client.locks().acquireAsync(X.fair(true));
    Await.until("it is queued", () -> other.waiters("x") == 1);
    CompletableFuture<Lease> heir =
        client.locks().acquireAsync(X.withLease(Duration.ofSeconds(30)));
    Await.until("it is queued", () -> other.waiters("x") == 2);
    client.awaitStepOver(); // or the next one is the first here, and asks the server itself
    Task<Lease> next = Task.run(() -> client.acquire("x"));
    next.awaitParked();
    held.release();
    Lease handedOn = Rig.join(fair);

    client.backend().always(Operation.ABANDON, Fault.refused());
    Gate gate = client.backend().next(Operation.RELEASE, Gate.beforeReply());
    Task<Boolean> release = Task.run(() -> {
      handedOn.release();
      return true;
    });
    gate.awaitReached();
    heir.cancel(true);
    Await.pass(50); // until the next one was told of that, and found the lock still held here
    int attempts = client.backend().calls(Operation.ATTEMPT);
    gate.open();
    release.get();
    Await.until("the next asks", () -> client.backend().calls(Operation.ATTEMPT) > attempts);
    assertThat(next.isDone()).isFalse();
    client.backend().heal();
    next.get().release();
  }
}
