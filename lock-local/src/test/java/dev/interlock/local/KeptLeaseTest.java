package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The server's message of a grant overtakes its answers, and the lease is kept before they come.
 */
@Timeout(20)
class KeptLeaseTest {
  private static final LockRequest X =
      LockRequest.of("x").withLease(Duration.ofMinutes(10)).withWait(Duration.ofSeconds(9));

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();

  @AfterEach
  void close() {
    other.locks().forceRelease("x"); // kept for longer than the rig waits
    rig.close();
  }

  @Test
  @DisplayName("a kept lease is not removed by a late answer to its attempt")
  void staysBesideLateAnswer() throws Exception {
    Lease held = other.acquire("x");
    Gate gate = client.backend().next(Operation.ATTEMPT, Gate.beforeReply());
    CompletableFuture<Lease> wait = client.locks().acquireAsync(X);
    gate.awaitReached();
    held.release();
    LockClients.keep(Rig.join(wait));
    gate.open();
    assertStays();
  }

  @Test
  @DisplayName("a kept lease is not removed by a late answer to a look at its place in the queue")
  void staysBesideLateLook() throws Exception {
    Lease held = other.acquire("x");
    CompletableFuture<Lease> wait = client.locks().acquireAsync(X.fair(true));
    Await.until("it is queued", () -> other.waiters("x") == 1);
    client.awaitStepOver(); // it has heard of it
    Gate gate = client.backend().next(Operation.RENEW, Gate.beforeReply());
    client.backend().tellInDoubt();
    gate.awaitReached();
    held.release();
    LockClients.keep(Rig.join(wait));
    gate.open();
    assertStays();
  }

  @Test
  @DisplayName("a kept lease is not removed by an attempt of which the outcome is unknown")
  void staysBesideUnknownOutcome() throws Exception {
    Lease held = other.acquire("x");
    Gate gate = Gate.beforeReply();
    client.backend().next(Operation.ATTEMPT, call -> {
      gate.around(call);
      throw new OutcomeUnknownException("the reply was lost by the test");
    });
    CompletableFuture<Lease> wait = client.locks().acquireAsync(X);
    gate.awaitReached();
    held.release();
    LockClients.keep(Rig.join(wait));
    gate.open();
    assertStays();
  }

  @Test
  @DisplayName("a kept lease stays when its owner gives up another entry")
  void staysBesideOtherEntry() throws Exception {
    LockRequest owned = X.withOwner("job");
    Lease kept = client.locks().acquire(owned);
    Lease again = client.locks().acquire(owned);
    LockClients.keep(kept);
    again.release();
    assertThat(again.isValid()).isFalse();
    assertStays();
  }

  @Test
  @DisplayName("a kept lease stays when its client is closed while its owner has another entry")
  void staysBesideOpenEntry() throws Exception {
    LockRequest owned = X.withOwner("job");
    Lease kept = client.locks().acquire(owned);
    Lease again = client.locks().acquire(owned);
    LockClients.keep(kept);
    assertStays();
    assertThat(again.isValid()).isFalse();
  }

  @Test
  @DisplayName("a thread's lease cannot be kept")
  void refusesThreads() throws Exception {
    DistributedLock lock = client.locks().lock("x");
    assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(30))).isTrue();
    assertThatThrownBy(() -> LockClients.keep(lock.lease()))
        .isInstanceOf(IllegalArgumentException.class);
    lock.unlock();
    assertThat(other.isFree("x")).isTrue();
  }

  private void assertStays() {
    Await.pass(300); // a removal would be sent at once
    assertThat(client.backend().calls(Operation.ABANDON)).isZero();
    assertThat(other.locks().tryAcquire(X.withWait(Duration.ZERO))).isEmpty();
    client.locks().close();
    assertThat(other.isFree("x")).isFalse();
  }
}
