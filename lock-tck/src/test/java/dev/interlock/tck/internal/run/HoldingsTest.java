package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Until when a lock is held for certain is known by what was granted. */
class HoldingsTest {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Holdings holdings = new Holdings();
  private StoreServer server;
  private LockClient client;

  @BeforeEach
  void open() throws IOException {
    server = StoreServer.start(Fault.NONE);
    client = new TracedCalls(new CallTrace(), holdings).of(Locks.open(server.uri()), "client-1");
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
  }

  private static LockRequest request(String name, Duration lease) {
    return LockRequest.of(name).withLease(lease);
  }

  private void assertHeld(String name, Duration lease) {
    long now = System.nanoTime();
    Holdings.Seen seen = holdings.seen(name);
    assertThat(seen.runAt(now + lease.toNanos() / 2)).as(name).isTrue();
    assertThat(seen.haveRunOutAt(now + lease.toNanos() / 2)).as(name).isFalse();
    assertThat(seen.runAt(now + lease.toNanos())).as(name).isFalse();
    assertThat(seen.haveRunOutAt(now + lease.toNanos())).as(name).isTrue();
  }

  private void assertUnknown(String name) {
    assertThat(holdings.seen(name).runAt(System.nanoTime())).isFalse();
    assertThat(holdings.seen(name).haveRunOutAt(System.nanoTime())).isFalse();
  }

  @Test
  void everyWayToAcquireIsNoted() throws Exception {
    client.acquire(request("acquire", LONG));
    assertThat(client.tryAcquire(request("try", LONG))).isPresent();
    client.acquireAsync(request("async", LONG)).get(20, TimeUnit.SECONDS);
    client.acquireAll(List.of(request("one", LONG), request("other", LONG)));
    assertThat(client.lock("lock").tryLock(Duration.ZERO, LONG)).isTrue();
    assertThat(client.lock("lock").tryLock()).isTrue();
    for (String name : List.of("acquire", "try", "async", "one", "other", "lock")) {
      assertHeld(name, LONG);
    }
  }

  @Test
  void whatIsNotGrantedOrIsGivenBackIsNoHold() throws InterruptedException {
    Lease held = client.acquire(request("orders", LONG));
    assertThat(client.tryAcquire(request("orders", LONG.multipliedBy(2)))).isEmpty();
    assertHeld("orders", LONG);
    held.release();
    assertUnknown("orders");
    try (LeaseSet set = client.acquireAll(List.of(request("orders", LONG)))) {
      set.lease("orders").close();
    }
    assertUnknown("orders");
    assertUnknown("never used");
  }

  @Test
  void anExtensionLastsFromWhenItIsAskedFor() throws InterruptedException {
    Lease held = client.acquire(request("orders", LONG));
    assertThat(held.extend(LONG.multipliedBy(2))).isTrue();
    assertHeld("orders", LONG.multipliedBy(2));
  }

  @Test
  void ofARenewedLeaseItsHolderKnows() throws InterruptedException {
    Lease renewed = client.acquire(LockRequest.of("orders"));
    long later = System.nanoTime() + LONG.toNanos();
    assertThat(holdings.seen("orders").runAt(later)).isTrue();
    Holdings.Seen seen = holdings.seen("orders");
    client.forceRelease("orders");
    assertThat(renewed.extend(LONG)).isFalse();
    // It is gone before its time, which is no reason to let anybody in.
    assertThat(seen.runAt(later)).isFalse();
    assertThat(seen.haveRunOutAt(later)).isFalse();
  }

  @Test
  void aReleaseThatComesAfterTheLeaseTellsSo() throws InterruptedException {
    Lease brief = client.acquire(request("orders", SHORT));
    RuleRun.pause(SHORT.multipliedBy(3));
    assertThatThrownBy(brief::release)
        .isInstanceOfSatisfying(
            LeaseLostException.class,
            e -> assertThat(e.getSuppressed()).hasOnlyElementsOfType(NotReached.class));
    Lease forced = client.acquire(request("orders", LONG));
    client.forceRelease("orders");
    assertThatThrownBy(forced::release)
        .isInstanceOfSatisfying(
            LeaseLostException.class, e -> assertThat(e.getSuppressed()).isEmpty());
  }

  @Test
  void nothingIsSureOfSeveralHoldsOfWhichOneHasRunOut() {
    long now = System.nanoTime();
    holdings.add("permits", "short", now, Duration.ofMillis(10));
    holdings.add("permits", "long", now, LONG);
    Holdings.Seen seen = holdings.seen("permits");
    assertThat(seen.runAt(now)).isTrue();
    long between = now + Duration.ofMillis(20).toNanos();
    assertThat(seen.runAt(between)).isFalse();
    assertThat(seen.haveRunOutAt(between)).isFalse();
  }

  @Test
  void aBackendWithoutTheEngineIsNotedToo() throws Exception {
    try (DirectBackend direct =
        Target.of(TckBackend.at(server.uri())).open(UnaryOperator.identity()).noting(holdings)) {
      HoldId id = direct.newId();
      direct.acquire("orders", id, LONG, LONG);
      assertHeld("orders", LONG);
      direct.attempt("orders", id, LONG.multipliedBy(2));
      // A repetition need not make it longer.
      assertHeld("orders", LONG);
      direct.renew("orders", id, LONG.multipliedBy(3));
      assertHeld("orders", LONG.multipliedBy(3));
      direct.release("orders", direct.newId());
      assertHeld("orders", LONG.multipliedBy(3));
      direct.release("orders", id);
      assertUnknown("orders");
    }
  }

  @Test
  void ofManyLocksAndHoldsTheLastOnesAreKnown() {
    for (int i = 0; i < 2_000; i++) {
      holdings.add("lock-" + i, i, System.nanoTime(), LONG);
      holdings.add("one", i, System.nanoTime(), Duration.ofDays(1_000_000));
    }
    assertUnknown("lock-0");
    assertHeld("lock-1999", LONG);
    assertThat(holdings.seen("one").runAt(System.nanoTime())).isTrue();
    holdings.restart();
    assertUnknown("lock-1999");
  }
}
