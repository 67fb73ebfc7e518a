package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Uninterruptibly;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An Error in the middle of the engine, as when memory or threads are short. Of a release it is
 * thrown wherever the thread of the test reads a clock, one place after the other.
 */
@Timeout(60)
class HalfwayTest {
  private static final LockRequest X = LockRequest.of("x");

  private final Thread unlucky = Thread.currentThread();
  private int readings; // until one fails; 0 for none
  private final AtomicInteger untold = new AtomicInteger(); // ends of holds that were told of
  private final FailingStub stub = new FailingStub();
  private final EngineClient client = open();

  private static final class FailingStub extends StubProvider {
    private volatile @Nullable LockException fault;
    private volatile int attempts;

    @Override
    public synchronized AttemptResult attempt(Attempt attempt) {
      attempts++;
      LockException thrown = fault;
      if (thrown != null) {
        throw thrown;
      }
      return super.attempt(attempt);
    }
  }

  private EngineClient open() {
    LockListener counting = new LockListener() {
      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        untold.incrementAndGet();
      }

      @Override
      public void released(String name, long fencingToken, Duration held) {
        untold.decrementAndGet();
      }

      @Override
      public void lost(String name, long fencingToken, LostReason reason) {
        untold.decrementAndGet();
      }
    };
    LockConfig config = LockConfig.builder("stub").listener(counting).build();
    Terms terms = new Terms(
        stub.id(), stub.capabilities(config), stub.fairByDefault(config), Duration.ofSeconds(30));
    Clocks clocks = new Clocks(System::nanoTime, this::millis);
    return new EngineClient(
        terms, config, new HoldIds(), new ClientId("halfway-test", "here"), stub, clocks);
  }

  private long millis() {
    if (Thread.currentThread() == unlucky && readings > 0 && --readings == 0) {
      throw new StackOverflowError("for the test");
    }
    return System.currentTimeMillis();
  }

  @AfterEach
  void close() {
    readings = 0;
    client.close();
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(500_000);
    }
  }

  /** Does it with an Error at that reading; answers whether there was one. */
  private boolean fails(int at, Runnable action) {
    readings = at;
    try {
      action.run();
      return readings == 0;
    } catch (StackOverflowError | LockException e) {
      assertThat(readings).isZero();
      return true;
    } finally {
      readings = 0;
    }
  }

  @Test
  @DisplayName("E3 an Error within a release keeps nobody who waits from the lock")
  void releases() throws Exception {
    boolean failed = true;
    for (int at = 1; failed; at++) {
      client.lock("x").lock();
      FutureTask<Boolean> next = waiter();
      failed = failsToUnlock(at);
      assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
      until("it is free", () -> client.inspect("x").isEmpty());
      until("each end was told", () -> untold.get() == 0);
    }
  }

  @Test
  @DisplayName("E3 nor does one within a release that passes the lock on")
  void passes() throws Exception {
    boolean failed = true;
    for (int at = 1; failed; at++) {
      Lease held = client.acquire(X);
      FutureTask<Boolean> other = start(() -> {
        until("the test waits", () -> isWaiting(unlucky));
        FutureTask<Boolean> next = waiter();
        held.release();
        return next.get(10, TimeUnit.SECONDS);
      });
      client.lock("x").lock(); // with a second token, for the one that waits behind
      failed = failsToUnlock(at);
      assertThat(other.get(20, TimeUnit.SECONDS)).isTrue();
      until("it is free", () -> client.inspect("x").isEmpty());
      until("each end was told", () -> untold.get() == 0);
    }
  }

  private boolean failsToUnlock(int at) {
    boolean failed = fails(at, () -> client.lock("x").unlock());
    if (client.lock("x").isHeldByCurrentThread()) {
      client.lock("x").unlock(); // it had not begun
    }
    return failed;
  }

  /**
   * Answers whether what it has is held on the server. One whose turn met the Error comes again.
   */
  private FutureTask<Boolean> waiter() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    FutureTask<Boolean> task = start(() -> {
      thread.set(Thread.currentThread());
      while (true) {
        try (Lease lease = client.acquire(X)) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // a clean-up may be on its way
          boolean held = client.inspect("x").isPresent();
          if (lease.isValid()) {
            return held;
          }
        } catch (LockException e) {
          assertThat(e).isInstanceOfAny(LeaseLostException.class, OutcomeUnknownException.class);
        }
      }
    });
    until("it waits", () -> thread.get() != null && isWaiting(thread.get()));
    return task;
  }

  private static boolean isWaiting(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  private static <T> FutureTask<T> start(Callable<T> body) {
    FutureTask<T> task = new FutureTask<>(body);
    Thread thread = new Thread(task, "halfway-test");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  /** An owner of whom the index cannot be asked. */
  private static final class Owner extends Thread {
    private volatile boolean timerFails;
    private int hashesLeft = Integer.MAX_VALUE; // before it fails on this thread itself

    Owner(Runnable body) {
      super(body, "halfway-test");
      setDaemon(true);
    }

    @Override
    public int hashCode() {
      boolean timer = Thread.currentThread().getName().startsWith("interlock-timer");
      if ((timer && timerFails) || (Thread.currentThread() == this && --hashesLeft < 0)) {
        throw new StackOverflowError("for the test");
      }
      return System.identityHashCode(this);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  @DisplayName("L7 W3 a loss is told, to its holder and to who waits, though an Error comes within")
  void tellsLosses() throws Exception {
    CompletableFuture<Lease> taken = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Owner owner = new Owner(() -> {
      try {
        assertThat(client.lock("x").tryLock(Duration.ZERO, Duration.ofSeconds(3)))
            .isTrue();
        taken.complete(client.lock("x").lease());
        over.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    owner.timerFails = true;
    owner.start();
    Lease lease = taken.get(10, TimeUnit.SECONDS);
    FutureTask<Boolean> next = waiter();
    assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
        .isEqualTo(LostReason.EXPIRED);
    var unused = stub.forceRelease("x", 0); // its leases never run out
    assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
    until("each end was told", () -> untold.get() == 0);
    over.countDown();
  }

  @Test
  @DisplayName("E3 W3 nor does an Error that comes again in what is done about it")
  void releasesAllTheSame() throws Exception {
    CountDownLatch waited = new CountDownLatch(1);
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    AtomicReference<Owner> self = new AtomicReference<>();
    Owner owner = new Owner(() -> {
      client.lock("x").lock();
      taken.complete(true);
      var unused = Uninterruptibly.await(() -> waited.await(10, TimeUnit.SECONDS));
      self.get().hashesLeft = 1; // unlock finds what it holds, and no more
      assertThatThrownBy(client.lock("x")::unlock).isInstanceOf(StackOverflowError.class);
    });
    self.set(owner);
    owner.start();
    taken.get(10, TimeUnit.SECONDS);
    FutureTask<Boolean> next = waiter();
    waited.countDown();
    assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
    until("each end was told", () -> untold.get() == 0);
  }

  /** Its message is read where those behind the first waiter are told of it. */
  private static final class Unreadable extends BackendUnavailableException {
    private static final long serialVersionUID = 1;

    Unreadable() {
      super("for the test");
    }

    @Override
    public String getMessage() {
      boolean tellsOthers = StackWalker.getInstance()
          .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("WaitErrors")));
      if (tellsOthers) {
        throw new StackOverflowError("for the test");
      }
      return "for the test";
    }
  }

  @Test
  @DisplayName("W3 a waiter that an Error ends stands in nobody's way")
  void leavesQueues() throws Exception {
    stub.fault = new Unreadable();
    FutureTask<Boolean> first = start(() -> client.acquire(X).isValid());
    until("it waits", () -> stub.attempts > 1);
    FutureTask<Boolean> second = start(() -> client.acquire(X).isValid());
    assertThatThrownBy(() -> first.get(15, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StackOverflowError.class);
    stub.fault = null;
    assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @DisplayName(
      "E3 a grant that could not be taken, for lack of threads, is removed and not re-entered")
  void forgetsGrants() throws Exception {
    ThreadPoolExecutor timer = timer();
    ThreadFactory usual = timer.getThreadFactory();
    timer.setThreadFactory(task -> {
      throw new OutOfMemoryError("unable to create native thread");
    });
    assertThatThrownBy(() -> client.lock("x").lock()).isInstanceOf(OutOfMemoryError.class);
    assertThat(client.lock("x").isHeldByCurrentThread()).isFalse();
    until("it is removed", () -> client.inspect("x").isEmpty());
    timer.setThreadFactory(usual);
    client.lock("x").lock();
    assertThat(client.inspect("x")).isPresent();
    client.lock("x").unlock();
  }

  @Test
  @DisplayName("E3 an Error within the release of one lock keeps no other of its set from it, and"
      + " what it kept from its own can be tried again")
  void releasesSets() throws Exception {
    boolean failed = true;
    for (int at = 1; failed; at++) {
      LeaseSet set = client.acquireAll(List.of(X, LockRequest.of("y")));
      failed = fails(at, set::close);
      assertThat(set.leases()).as("failed at reading %d", at).anyMatch(one -> !one.isValid());
      var unused = fails(0, set::close); // the other one, if that had not begun
      for (String name : List.of("x", "y")) {
        until(name + " is free", () -> client.inspect(name).isEmpty());
      }
    }
  }

  @Test
  @DisplayName("A1 an asynchronous request ends also if no thread can be started for its timer")
  void endsFutures() throws Exception {
    var unused = stub.attempt(
        Attempt.of("held", new HoldId(1, 1), "another client", Duration.ofSeconds(30)));
    ThreadPoolExecutor timer = timer();
    ThreadFactory usual = timer.getThreadFactory();
    timer.setThreadFactory(task -> {
      throw new OutOfMemoryError("unable to create native thread");
    });
    CompletableFuture<Lease> waits = client.acquireAsync(X);
    assertThatThrownBy(() -> waits.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(OutOfMemoryError.class);
    LockRequest once = LockRequest.of("held").withWait(Duration.ZERO);
    CompletableFuture<Lease> single = client.acquireAsync(once);
    assertThatThrownBy(() -> single.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockTimeoutException.class);
    timer.setThreadFactory(usual);
    client.acquireAsync(X).get(10, TimeUnit.SECONDS).release();
  }

  @Test
  @DisplayName("A1 an asynchronous request goes on once threads can be had again")
  void goesOnWithoutAnother() throws Exception {
    ThreadPoolExecutor io = pool("io");
    ThreadFactory usual = io.getThreadFactory();
    io.setThreadFactory(task -> {
      throw new OutOfMemoryError("unable to create native thread");
    });
    CompletableFuture<Lease> waits = client.acquireAsync(X);
    LockSupport.parkNanos(
        TimeUnit.MILLISECONDS.toNanos(120)); // also that it is not tried only once
    assertThat(waits).isNotDone();
    io.setThreadFactory(usual);
    waits.get(10, TimeUnit.SECONDS).release();
  }

  private ThreadPoolExecutor timer() throws ReflectiveOperationException {
    return pool("timer");
  }

  private ThreadPoolExecutor pool(String name) throws ReflectiveOperationException {
    Field threads = EngineClient.class.getDeclaredField("threads");
    threads.setAccessible(true);
    Field pool = ClientThreads.class.getDeclaredField(name);
    pool.setAccessible(true);
    return (ThreadPoolExecutor) pool.get(threads.get(client));
  }
}
