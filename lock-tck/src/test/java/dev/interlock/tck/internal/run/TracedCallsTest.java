package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that is traced does what it does otherwise, and every call can be read afterwards. */
class TracedCallsTest {
  private static final LockRequest REQUEST =
      LockRequest.of("orders").withLease(Duration.ofSeconds(20));

  private final CallTrace trace = new CallTrace();
  private StoreServer server;
  private LockClient client;

  @BeforeEach
  void open() throws IOException {
    server = StoreServer.start(Fault.NONE);
    client = new TracedCalls(trace, new Holdings()).of(Locks.open(server.uri()), "client-1");
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
  }

  private void assertTold(String... parts) {
    String thread = Thread.currentThread().getName();
    String all = String.join("\n", trace.lines()).replace(" on " + thread, "");
    assertThat(all).containsSubsequence(parts);
  }

  @Test
  void whatALeaseIsAskedForIsToldOfTheLease() throws InterruptedException {
    Lease lease = client.acquire(REQUEST.withOwner("me").renewing());
    long token = lease.fencingToken();
    assertThat(client.tryAcquire(REQUEST)).isEmpty();
    lease.release();
    client.tryAcquire(REQUEST).orElseThrow().close();

    assertTold(
        "client-1 acquire(orders lease=PT20S owner=me renewing): lease-1",
        "lease-1 fencingToken(): " + token,
        "client-1 tryAcquire(orders lease=PT20S): Optional.empty",
        "lease-1 release(): returned",
        "client-1 tryAcquire(orders lease=PT20S): lease-2",
        "lease-2 close(): returned");
  }

  @Test
  void anExceptionIsToldAndThrownAsItIs() throws InterruptedException {
    client.acquire(REQUEST);
    assertThatThrownBy(() -> client.acquire(REQUEST.withWait(Duration.ofMillis(20))))
        .isInstanceOf(LockTimeoutException.class);
    assertTold("wait=PT0.02S): threw dev.interlock.LockTimeoutException: ", ", after ");
  }

  @Test
  void aLockTellsItsName() {
    DistributedLock lock = client.lock("orders");
    assertThat(lock.tryLock()).isTrue();
    lock.unlock();
    assertTold("client-1 lock(orders) tryLock(): true", "client-1 lock(orders) unlock(): returned");
  }

  @Test
  void severalLocksAtOnceAreToldAsOneLease() throws InterruptedException {
    List<LockRequest> both = List.of(REQUEST, LockRequest.of("stock"));
    try (LeaseSet leases = client.acquireAll(both)) {
      leases.lease("orders").release();
    }
    assertTold(
        "acquireAll([orders lease=PT20S; stock renewing]): lease-1",
        "lease-1 lease(orders): lease-2",
        "lease-2 release()",
        "lease-1 close()");
  }

  @Test
  void aFutureTellsHowItEndedAndHandsOutALeaseThatIsTraced() throws Exception {
    CompletableFuture<Lease> future = client.acquireAsync(REQUEST);
    future.get(20, TimeUnit.SECONDS).release();
    assertTold(
        "acquireAsync(orders lease=PT20S): a future of lease-1", "lease-1 acquired", "release()");
  }

  @Test
  void aFutureThatIsCancelledOrTimesOutEndsTheWait() throws Exception {
    Lease held = client.acquire(REQUEST);
    LockRequest patient = REQUEST.withWait(Duration.ofMinutes(1));
    CompletableFuture<Lease> cancelled = client.acquireAsync(patient);
    CompletableFuture<Lease> late = client.acquireAsync(patient);
    assertThat(cancelled.cancel(true)).isTrue();
    assertThat(cancelled).isCancelled();
    assertThat(late.orTimeout(20, TimeUnit.MILLISECONDS))
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withCauseInstanceOf(TimeoutException.class);
    held.release();
    // Neither of the two has it.
    client.acquire(REQUEST.withWait(Duration.ofSeconds(5))).release();
    assertTold("lease-2 failed: " + CancellationException.class.getName(), "lease-3 failed: ");
  }

  @Test
  void aLossIsToldBeforeWhoWaitsForItHearsOfIt() throws Exception {
    Lease lease = client.acquire(REQUEST);
    assertThat(lease.lost()).isNotNull(); // awaited from here on
    assertThat(client.forceRelease("orders")).isTrue();
    LostReason reason = lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
    assertTold("forceRelease(orders): true", "lease-1 lost: " + reason);
  }
}
