package dev.interlock.internal.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.interlock.LockKind;
import dev.interlock.LockListener;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A system that starts no more threads: what is to be told waits, and nobody fails for it. */
@Timeout(20)
class ClientThreadsTest {
  private final ClientThreads threads = new ClientThreads("threads-test", null);
  private final List<String> told = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    threads.close(0);
  }

  private static ThreadPoolExecutor pool(String field, @Nullable ClientThreads of)
      throws ReflectiveOperationException {
    var pool = ClientThreads.class.getDeclaredField(field);
    pool.setAccessible(true);
    return (ThreadPoolExecutor) pool.get(of);
  }

  private static void withoutThreads(ThreadPoolExecutor pool, Runnable action) {
    until("no thread is left", () -> pool.getPoolSize() == 0);
    ThreadFactory usual = pool.getThreadFactory();
    // Not a thread that cannot be started: a newer JDK's pool starts one without its start().
    pool.setThreadFactory(task -> {
      throw new OutOfMemoryError("unable to create native thread");
    });
    try {
      assertThatCode(action::run).doesNotThrowAnyException();
    } finally {
      pool.setThreadFactory(usual);
    }
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  @DisplayName("an event for which no thread can be started is told with the next, before it")
  void keepsEvents() throws Exception {
    Listeners listeners = new Listeners(
        List.of(new LockListener() {
          @Override
          public void acquired(String name, long fencingToken, Duration waited) {
            told.add(name);
          }
        }),
        threads);
    withoutThreads(
        pool("notices", threads),
        () -> MustNotBlock.run(
            () -> { // as a grant that the backend tells of
              listeners.acquired("first", LockKind.EXCLUSIVE, 1, Duration.ZERO);
              listeners.acquired("second", LockKind.EXCLUSIVE, 2, Duration.ZERO);
            }));
    assertThat(told).isEmpty();
    MustNotBlock.run(() -> listeners.acquired("third", LockKind.EXCLUSIVE, 3, Duration.ZERO));
    until("all are told", () -> told.size() == 3);
    assertThat(told).containsExactly("first", "second", "third");
  }

  @Test
  @DisplayName(
      "a logger that throws is asked once for each event, and affects neither work nor news")
  void survivesLoggers() {
    AtomicInteger asked = new AtomicInteger();
    Handler broken = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        asked.incrementAndGet();
        throw new IllegalStateException("for the test");
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger("dev.interlock");
    Level usual = logger.getLevel();
    logger.setLevel(Level.WARNING); // the build's tests may log less
    logger.addHandler(broken);
    try {
      LockListener throwing = new LockListener() {
        @Override
        public void attempt(String name) {
          throw new IllegalStateException("for the test");
        }
      };
      LockListener hearing = new LockListener() {
        @Override
        public void attempt(String name) {
          told.add(name);
        }
      };
      Listeners listeners = new Listeners(List.of(throwing, hearing), threads);
      listeners.attempt("first");
      assertThat(told).containsExactly("first");
      listeners.run("x", () -> broken.publish(new LogRecord(Level.INFO, "directly")));
      MustNotBlock.run(() -> listeners.attempt("second"));
      threads.io(() -> {
        throw new IllegalStateException("for the test");
      });
      until("all are told", () -> told.size() == 2 && asked.get() >= 4);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      assertThat(asked).hasValue(4);
    } finally {
      logger.removeHandler(broken);
      logger.setLevel(usual);
    }
  }

  @Test
  @DisplayName("L7 a loss for which no thread can be started is told with the next")
  void keepsLosses() throws Exception {
    withoutThreads(pool("LOSSES", null), () -> ClientThreads.loss(() -> told.add("first")));
    assertThat(told).isEmpty();
    ClientThreads.loss(() -> told.add("second"));
    until("both are told", () -> told.size() == 2);
    assertThat(told).contains("first", "second");
  }

  @Test
  @DisplayName("a client's threads inherit nothing of the caller for whom they were started")
  void inheritNothing() throws Exception {
    InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
    Thread caller = Thread.currentThread();
    ClassLoader opener = caller.getContextClassLoader();
    try (URLClassLoader other = new URLClassLoader(new URL[0], null)) {
      user.set("alice");
      caller.setContextClassLoader(other);
      CompletableFuture<Void> seen = new CompletableFuture<>();
      threads.io(() -> {
        told.add(String.valueOf(user.get()));
        told.add(String.valueOf(Thread.currentThread().getContextClassLoader() == opener));
        seen.complete(null);
      });
      seen.get(10, TimeUnit.SECONDS);
    } finally {
      caller.setContextClassLoader(opener);
      user.remove();
    }
    assertThat(told).containsExactly("null", "true");
  }

  @Test
  @DisplayName("tasks that last have stand-ins, a bounded number, which go once they are over")
  void standsIn() throws Exception {
    ThreadPoolExecutor io = pool("io", threads);
    AtomicInteger begun = new AtomicInteger();
    CountDownLatch over = new CountDownLatch(1);
    for (int i = 0; i < 100; i++) {
      threads.io(() -> {
        begun.incrementAndGet();
        try {
          over.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      });
    }
    until("all stand-ins have come", () -> begun.get() == 32);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
    assertThat(begun).hasValue(32);
    over.countDown();
    until("all tasks have run", () -> begun.get() == 100);
    until("as many as usual may work", () -> io.getMaximumPoolSize() == 4);
    until("as many as usual are left", () -> io.getPoolSize() <= 4);
  }
}
