package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AsyncResultTest {
  private static final LockRequest X = LockRequest.of("x");

  private static LockClient open(@Nullable Executor executor) {
    return open(executor, new StubProvider());
  }

  private static LockClient open(@Nullable Executor executor, StubProvider stub) {
    LockConfig.Builder config =
        LockConfig.builder("stub").set(CommonOptions.LEASE, Duration.ofMillis(300));
    if (executor != null) {
      config.executor(executor);
    }
    return LockClients.open(stub, config.build(), context -> stub);
  }

  private static void awaitFree(LockClient client) {
    until("it is free", () -> client.tryAcquire(X).isPresent());
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** A server that answers no attempt before its time. */
  private static final class Silent extends StubProvider {
    private final CountDownLatch over = new CountDownLatch(1);

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // several attempts wait at once
    public AttemptResult attempt(Attempt attempt) {
      await(over);
      return super.attempt(attempt);
    }
  }

  private static void await(CountDownLatch latch) {
    assertThat(Uninterruptibly.await(() -> latch.await(20, TimeUnit.SECONDS))).isTrue();
  }

  private static LockRequest numbered(int i) {
    return LockRequest.of("numbered-" + i);
  }

  @Test
  @DisplayName("A1 grant, error and timeout arrive while the application blocks the common pool")
  void doesWithoutCommonPool() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors() + 2; i++) {
      ForkJoinPool.commonPool().execute(() -> {
        try {
          blocked.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      });
    }
    LockRequest lasting = X.withLease(Duration.ofSeconds(20)).renewing();
    LockRequest brief = lasting.withWait(Duration.ofMillis(20));
    try (LockClient client = open(null)) {
      Lease lease = client.acquireAsync(lasting).get(5, TimeUnit.SECONDS);
      assertThatThrownBy(() -> client.acquireAsync(brief).get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockTimeoutException.class);
      CompletableFuture<Lease> waits = client.acquireAsync(lasting);
      lease.release();
      waits.get(5, TimeUnit.SECONDS);
    } finally {
      blocked.countDown();
    }
  }

  @Test
  @DisplayName("results come on the executor that the application names")
  void usesNamedExecutor() throws Exception {
    List<String> threads = new ArrayList<>();
    // Else a result may be there before what follows it, which then runs on this thread.
    Semaphore registered = new Semaphore(0);
    Executor own = task -> new Thread(
            () -> {
              registered.acquireUninterruptibly();
              task.run();
            },
            "own")
        .start();
    try (LockClient client = open(own)) {
      CompletableFuture<Void> granted = client
          .acquireAsync(X.withLease(Duration.ofSeconds(20)))
          .thenAccept(lease -> threads.add(Thread.currentThread().getName()));
      registered.release();
      granted.get(5, TimeUnit.SECONDS);
      CompletableFuture<Lease> late = client.acquireAsync(X.withWait(Duration.ofMillis(20)));
      CompletableFuture<String> failure =
          late.handle((lease, error) -> Thread.currentThread().getName());
      registered.release();
      assertThat(failure.get(5, TimeUnit.SECONDS)).isEqualTo("own");
      assertThat(threads).containsExactly("own");
    }
  }

  @Test
  @DisplayName("a lease that the executor refuses is given back, and the future says why")
  void givesBackWhatIsRefused() throws Exception {
    for (Throwable refusal :
        List.of(new RejectedExecutionException("full"), new NoClassDefFoundError("a"))) {
      Executor refusing = task -> {
        throw AsyncResultTest.<RuntimeException>unchecked(refusal);
      };
      try (LockClient client = open(refusing)) {
        assertThatThrownBy(() -> client.acquireAsync(X).get(5, TimeUnit.SECONDS))
            .hasCauseInstanceOf(BackendUnavailableException.class)
            .hasRootCause(refusal);
        awaitFree(client);
        assertThatThrownBy(() ->
                client.acquireAsync(X.withWait(Duration.ofMillis(20))).get(5, TimeUnit.SECONDS))
            .hasCauseInstanceOf(LockTimeoutException.class);
      }
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T unchecked(Throwable error) throws T {
    throw (T) error;
  }

  @Test
  @DisplayName("a lease that the executor lets lie for as long as it lasts is given back")
  void givesBackWhatLies() throws Exception {
    LinkedBlockingQueue<Runnable> lying = new LinkedBlockingQueue<>();
    try (LockClient client = open(lying::add)) {
      CompletableFuture<Lease> lies = client.acquireAsync(X);
      assertThatThrownBy(() -> lies.get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
      awaitFree(client);
      lying.take().run(); // too late
      assertThat(client.tryAcquire(X)).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "E7 a result that is taken after close leaves no thread behind, however long its lease")
  void leavesNoThread() throws Exception {
    LinkedBlockingQueue<Runnable> lying = new LinkedBlockingQueue<>();
    CompletableFuture<Lease> lies;
    try (LockClient client = open(lying::add)) {
      lies = client.acquireAsync(X.withLease(Duration.ofMinutes(5)));
      awaitSize(lying, 1);
    }
    lying.take().run();
    assertThat(lies).isCompletedExceptionally();
    long start = System.nanoTime();
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("interlock-late"))) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(8));
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void awaitSize(LinkedBlockingQueue<Runnable> queue, int size) {
    long start = System.nanoTime();
    while (queue.size() < size) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  @DisplayName("a lease that the executor lets lie is given back when its future is cancelled")
  void givesBackWhatIsCancelled() throws Exception {
    LinkedBlockingQueue<Runnable> lying = new LinkedBlockingQueue<>();
    try (LockClient client = open(lying::add)) {
      CompletableFuture<Lease> lies = client.acquireAsync(X.withLease(Duration.ofMinutes(5)));
      Runnable delivery = lying.take();
      lies.cancel(true);
      awaitFree(client);
      delivery.run();
    }
  }

  @Test
  @DisplayName("E7 after close() a future ends also if the executor never runs what it was given")
  void endsAfterClose() throws Exception {
    LinkedBlockingQueue<Runnable> lying = new LinkedBlockingQueue<>();
    CompletableFuture<Lease> granted;
    CompletableFuture<Lease> waits;
    try (LockClient client = open(lying::add)) {
      granted = client.acquireAsync(X.withLease(Duration.ofSeconds(2)));
      lying.take();
      waits = client.acquireAsync(X);
    }
    for (CompletableFuture<Lease> future : List.of(granted, waits)) {
      assertThatThrownBy(() -> future.get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
    }
  }

  @Test
  @DisplayName("an executor that never returns keeps no lease")
  void survivesBlockingExecutor() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Executor blocking = task -> {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    };
    try (LockClient client = open(blocking)) {
      CompletableFuture<Lease> lies = client.acquireAsync(X);
      assertThatThrownBy(() -> lies.get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
      awaitFree(client);
    } finally {
      end.countDown();
    }
  }

  @Test
  @DisplayName("A1 results arrive although four actions wait for more of them")
  void servesActionsThatWait() throws Exception {
    Silent server = new Silent();
    Duration lease = Duration.ofSeconds(20); // for so long a result may lie
    CountDownLatch allRun = new CountDownLatch(4);
    List<CompletableFuture<Lease>> inner = new ArrayList<>();
    try (LockClient client = open(null, server)) {
      for (int i = 0; i < 4; i++) {
        LockRequest more = numbered(i).withLease(lease);
        inner.add(
            client.acquireAsync(LockRequest.of("outer-" + i).withLease(lease)).thenApply(outer -> {
              allRun.countDown();
              await(allRun);
              return client.acquireAsync(more).join();
            }));
      }
      server.over.countDown(); // now that the actions are registered
      for (CompletableFuture<Lease> future : inner) {
        assertThat(future.get(5, TimeUnit.SECONDS).isValid()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("A1 E3 failures arrive however many actions block, also that of a result that lies")
  void failsBesideBlockedActions() throws Exception {
    Silent server = new Silent();
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger blocked = new AtomicInteger();
    LockRequest lasting = X.withLease(Duration.ofSeconds(20));
    try (LockClient client = open(null, server)) {
      for (int i = 0; i < 40; i++) {
        var unused = client
            .acquireAsync(numbered(i).withLease(Duration.ofSeconds(20)))
            .thenAccept(lease -> {
              blocked.incrementAndGet();
              await(end);
            });
      }
      server.over.countDown(); // now that the actions are registered
      until("as many block as ever do", () -> blocked.get() == 32);
      assertThatThrownBy(() -> client.acquireAsync(X).get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
      Lease held = client.acquire(lasting);
      assertThatThrownBy(
              () -> client.acquireAsync(X.withWait(Duration.ofMillis(20))).get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockTimeoutException.class);
      held.release();
    } finally {
      end.countDown();
    }
  }

  @Test
  @DisplayName("W4 E3 single attempts end in bounded time, however many ask a silent server")
  void boundsSingleAttempts() throws Exception {
    Silent server = new Silent();
    try (LockClient client = open(null, server)) {
      List<CompletableFuture<Lease>> futures = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        futures.add(client.acquireAsync(numbered(i).withWait(Duration.ZERO)));
      }
      int unknown = 0;
      for (CompletableFuture<Lease> future : futures) {
        Throwable error = future.handle((lease, failure) -> failure).get(5, TimeUnit.SECONDS);
        assertThat(error)
            .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
        unknown += error instanceof OutcomeUnknownException ? 1 : 0;
      }
      assertThat(unknown).isBetween(1, 32); // those that were sent
      server.over.countDown();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100)); // grants come now
      for (int i = 0; i < 40; i++) {
        String name = numbered(i).name();
        until("what came late is removed", () -> client.inspect(name).isEmpty());
      }
    }
  }
}
