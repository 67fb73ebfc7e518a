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
import dev.interlock.spi.LockClients;
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
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AsyncResultTest {
  private static final LockRequest X = LockRequest.of("x");

  private static LockClient open(@Nullable Executor executor) {
    StubProvider stub = new StubProvider();
    LockConfig.Builder config =
        LockConfig.builder("stub").set(CommonOptions.LEASE, Duration.ofMillis(300));
    if (executor != null) {
      config.executor(executor);
    }
    return LockClients.open(stub, config.build(), context -> stub);
  }

  private static void awaitFree(LockClient client) {
    long start = System.nanoTime();
    while (client.tryAcquire(X).isEmpty()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(1_000_000);
    }
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
}
