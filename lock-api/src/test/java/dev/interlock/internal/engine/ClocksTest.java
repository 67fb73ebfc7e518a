package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.contract.Undisturbed;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ClocksTest {
  private static final long MILLI = 1_000_000;
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final LockRequest X = LockRequest.of("x");

  private final AtomicLong nanos = new AtomicLong(77 * MILLI);
  private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);
  private final Clocks clocks = new Clocks(nanos::get, millis::get);

  private void pass(long milliseconds) {
    nanos.addAndGet(milliseconds * MILLI);
    millis.addAndGet(milliseconds);
  }

  @Test
  @DisplayName("L8 a jump either way is seen, a slewed clock is none")
  void seesJumps() {
    pass(5_000);
    assertThat(clocks.jumps()).isZero();
    millis.addAndGet(3_600_000); // a suspended machine, or a time server
    assertThat(clocks.jumps()).isEqualTo(1);
    millis.addAndGet(-7_200_000);
    assertThat(clocks.jumps()).isEqualTo(2);
    for (int i = 0; i < 1_000; i++) {
      pass(1_000);
      millis.addAndGet(1); // a thousandth, which is twice what a system slews
      assertThat(clocks.jumps()).isEqualTo(2);
    }
  }

  @Test
  @DisplayName("L8 a moment before a jump is not taken for one after it")
  void remembersMoments() {
    long before = clocks.look();
    long wallBefore = clocks.wall();
    millis.addAndGet(60_000);
    pass(1);
    long after = clocks.look();
    assertThat(clocks.wallAt(before)).isEqualTo(wallBefore);
    assertThat(clocks.wallAt(after)).isEqualTo(clocks.wall());
    assertThat(clocks.wallAt(before)).isEqualTo(wallBefore);
  }

  @Test
  @DisplayName("L8 a thread that is held up between two readings sees no jump")
  void readsTogether() {
    AtomicLong readings = new AtomicLong();
    Clocks heldUp = new Clocks(
        () -> readings.incrementAndGet() == 3 ? nanos.addAndGet(HOUR) : nanos.get(), millis::get);
    millis.addAndGet(HOUR / MILLI); // time passed for both
    assertThat(heldUp.jumps()).isZero();
  }

  @Test
  @DisplayName("L8 nor does one that is held up each time, while a jump of more than that is seen")
  void seesBeyondPauses() {
    AtomicLong paused = new AtomicLong();
    Clocks heldUp = new Clocks(nanos::get, () -> {
      long read = millis.get();
      pass(paused.get()); // after the reading, which is old by then
      return read;
    });
    paused.set(5_000);
    for (int i = 0; i < 5; i++) {
      assertThat(heldUp.jumps()).isZero();
    }
    millis.addAndGet(60_000);
    assertThat(heldUp.jumps()).isEqualTo(1);
  }

  /** The system's clocks, of which the wall clock is moved, or slow to read. */
  private static final class Engine implements AutoCloseable {
    final AtomicLong moved = new AtomicLong();
    final AtomicInteger slowReadings = new AtomicInteger();
    volatile boolean slow;
    BackendEvents events = BackendEvents.IGNORED;
    final EngineClient client;

    Engine() {
      StubProvider stub = new StubProvider() {
        @Override
        public void subscribe(BackendEvents engine) {
          events = engine;
        }

        @Override
        @SuppressWarnings(
            "UnsynchronizedOverridesSynchronized") // what is held is renewed meanwhile
        public AttemptResult attempt(Attempt attempt) {
          AttemptResult result = super.attempt(attempt);
          if (result instanceof AttemptResult.Busy) {
            events.inDoubt();
            LockSupport.parkNanos(50 * MILLI);
          }
          return result;
        }
      };
      HoldIds ids = new HoldIds();
      LockConfig config = LockConfig.builder("stub").build();
      Terms terms = new Terms(
          stub.id(), stub.capabilities(config), stub.fairByDefault(config), Duration.ofSeconds(30));
      Clocks clocks = new Clocks(System::nanoTime, this::millis);
      client =
          new EngineClient(terms, config, ids, new ClientId("clocks-test", "here"), stub, clocks);
    }

    private long millis() {
      if (slow && Thread.currentThread().getName().startsWith("interlock-timer")) {
        LockSupport.parkNanos(300 * MILLI);
        slowReadings.incrementAndGet();
      }
      return System.currentTimeMillis() + moved.get();
    }

    void move(Duration jump) {
      moved.addAndGet(jump.toMillis());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  @Test
  @DisplayName("L8 after a suspend no lease is valid that was granted before, and its loss is told")
  void endsValidity() throws Exception {
    try (Engine engine = new Engine()) {
      Lease renewed = engine.client.acquire(X);
      Lease fixed = engine.client.acquire(LockRequest.of("y").withLease(Duration.ofSeconds(20)));
      engine.client.lock("z").lock();
      engine.move(Duration.ofMinutes(1));
      assertThat(renewed.isValid()).isFalse();
      assertThat(fixed.isValid()).isFalse();
      assertThat(fixed.remaining()).isZero();
      assertThat(engine.client.lock("z").isHeldByCurrentThread()).isFalse();
      assertThatThrownBy(fixed::ensureValid).isInstanceOf(LeaseLostException.class);
      for (Lease lease : new Lease[] {renewed, fixed}) {
        assertThat(lease.lost().toCompletableFuture().get(5, TimeUnit.SECONDS))
            .isEqualTo(LostReason.EXPIRED);
      }
      assertThat(engine.client.acquireAsync(X).get(5, TimeUnit.SECONDS).isValid())
          .isTrue();
    }
  }

  @Test
  @DisplayName("N3 a hold of which its thread has heard that it is over does not come back")
  void staysOver() throws Exception {
    List<Consumer<DistributedLock>> looks = List.of(
        lock -> assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class),
        lock -> assertThat(lock.isHeldByCurrentThread()).isFalse());
    for (Consumer<DistributedLock> look : looks) {
      try (Engine engine = new Engine()) {
        DistributedLock lock = engine.client.lock("z");
        lock.lock();
        engine.move(Duration.ofMinutes(1));
        look.accept(lock);
        engine.events.inDoubt(); // the server, whose leases never run out, would renew it
        awaitFree(engine.client, "z");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
      }
    }
  }

  @Test
  @DisplayName("N3 nor is it entered by a thread that begins to wait because it is over")
  void isNotEntered() throws Exception {
    try (Engine engine = new Engine()) {
      DistributedLock lock = engine.client.lock("z");
      lock.lock();
      long token = lock.lease().fencingToken();
      engine.move(Duration.ofMinutes(1));
      lock.lock();
      assertThat(lock.holdCount()).isEqualTo(1);
      assertThat(lock.lease().fencingToken()).isGreaterThan(token);
      lock.unlock();
      awaitFree(engine.client, "z");
    }
  }

  private static void awaitFree(EngineClient client, String name) {
    long start = System.nanoTime();
    while (client.inspect(name).isPresent()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
      LockSupport.parkNanos(MILLI);
    }
  }

  @Test
  @DisplayName("L8 a shorter suspend takes its time from what remains, and a loss is told in time")
  void shortensValidity() throws Exception {
    try (Engine engine = new Engine()) {
      Lease fixed = engine.client.acquire(X.withLease(Duration.ofSeconds(20)));
      Lease renewed = engine.client.acquire(LockRequest.of("y"));
      engine.move(Duration.ofSeconds(17));
      assertThat(fixed.isValid()).isTrue();
      assertThat(fixed.remaining()).isLessThan(Duration.ofSeconds(3));
      fixed.lost().toCompletableFuture().get(5, TimeUnit.SECONDS);
      assertThat(renewed.isValid()).isTrue();
      assertThat(renewed.remaining()).isGreaterThan(Duration.ofSeconds(20)); // renewed at once
    }
  }

  @Test
  @DisplayName(
      "L8 the timer's thread, held up while it compares the clocks, takes no time from a lease")
  void survivesPauses() throws Exception {
    try (Engine engine = new Engine()) {
      long start = System.nanoTime();
      Lease fixed = engine.client.acquire(X.withLease(Duration.ofSeconds(20)));
      engine.slow = true;
      engine.move(Duration.ofMillis(-15)); // after a jump it compares
      engine.client.acquire(LockRequest.of("y").withLease(Duration.ofSeconds(20)));
      while (engine.slowReadings.get() < 8) { // of which six may be looks for jumps
        LockSupport.parkNanos(MILLI);
      }
      Duration left = fixed.remaining();
      assertThat(left.plusNanos(System.nanoTime() - start))
          .isGreaterThan(Duration.ofMillis(19_800));
    }
  }

  @Undisturbed(millis = 1000)
  @DisplayName("L8 a step backward neither ends nor extends a lease, nor hides a later suspend")
  void ignoresStepsBack() throws Exception {
    try (Engine engine = new Engine()) {
      Lease lease = engine.client.acquire(X.withLease(Duration.ofSeconds(20)));
      engine.move(Duration.ofHours(-1));
      assertThat(lease.isValid()).isTrue();
      assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(20));
      Lease later = engine.client.acquire(LockRequest.of("y").withLease(Duration.ofSeconds(20)));
      TimeUnit.MILLISECONDS.sleep(2_500); // noticed within 1 s
      engine.move(Duration.ofMinutes(1));
      assertThat(later.isValid()).isFalse();
      assertThat(lease.isValid()).isFalse();
    }
  }
}
