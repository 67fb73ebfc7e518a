package dev.interlock.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * All threads of a client: at most six, daemons, started on demand and ended when idle. The timer
 * never does I/O; renewals have a thread of their own, so that nothing else can delay them. Code of
 * the application runs on none of them, but on threads that all clients share.
 */
final class ClientThreads {
  private static final Logger LOG = System.getLogger("dev.interlock");

  private static final int IO_THREADS = 4;
  private static final int LOSS_THREADS = 4;
  private static final long IDLE_SECONDS = 10;

  /** So that soon after the last client was closed nothing is left. */
  private static final long LOSS_IDLE_SECONDS = 1;

  /**
   * For the actions on a loss, and for nothing else: the news that work must stop gets through also
   * while the application keeps the common pool busy, which has one thread on two processors.
   */
  private static final Executor LOSSES = pool(LOSS_THREADS, "interlock-loss", LOSS_IDLE_SECONDS);

  // A common pool that was configured to have no threads would never run them.
  private static final Executor RESULTS = ForkJoinPool.getCommonPoolParallelism() > 0
      ? ForkJoinPool.commonPool()
      : task -> new Thread(task, "interlock-result").start();

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;
  private final ThreadPoolExecutor io;

  ClientThreads(String client) {
    timer = new ScheduledThreadPoolExecutor(1, factory("interlock-timer-" + client));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    renewals = pool(1, "interlock-renewal-" + client, IDLE_SECONDS);
    io = pool(IO_THREADS, "interlock-io-" + client, IDLE_SECONDS);
  }

  /** Runs it on the timer thread; it must not block. Ignored after close. */
  @Nullable
  Future<?> schedule(Runnable task, long delayNanos) {
    try {
      return timer.schedule(guarded(task), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return null; // The client is closed: whatever the task was for has been ended already.
    }
  }

  /** Runs it on the renewal thread. Ignored after close. */
  void renew(Runnable task) {
    submit(renewals, task);
  }

  /** Runs it on one of the few I/O threads. Ignored after close. */
  void io(Runnable task) {
    submit(io, task);
  }

  /** Where the application hears that a lease was lost. */
  static Executor losses() {
    return LOSSES;
  }

  /** Where the application gets what it asked for asynchronously, and goes on with it. */
  static Executor results() {
    return RESULTS;
  }

  /**
   * Begins nothing any more, and waits for what has begun: an interrupt would break off the
   * backend's call in it. Only what is not over in time is interrupted.
   */
  void close(long nanos) {
    timer.shutdownNow(); // It never blocks, and calls no backend.
    long deadline = System.nanoTime() + nanos;
    for (ThreadPoolExecutor executor : List.of(renewals, io)) {
      executor.shutdown();
      executor.getQueue().clear();
    }
    for (ThreadPoolExecutor executor : List.of(renewals, io)) {
      awaitEnd(executor, deadline);
      executor.shutdownNow();
    }
  }

  private static void awaitEnd(ThreadPoolExecutor executor, long deadline) {
    boolean interrupted = false;
    boolean waiting = true;
    while (waiting) {
      try {
        // Whether in time or not, its threads are interrupted next.
        var unused = executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        waiting = false;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void submit(ThreadPoolExecutor executor, Runnable task) {
    try {
      executor.execute(guarded(task));
    } catch (RejectedExecutionException e) {
      // The client is closed: whatever the task was for has been ended already.
    }
  }

  /** A fault in one task must neither end the thread that serves all others nor go unseen. */
  private static Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "A background task of the lock client failed", e);
      }
    };
  }

  private static ThreadPoolExecutor pool(int threads, String name, long idleSeconds) {
    ThreadPoolExecutor pool = new ThreadPoolExecutor(
        threads,
        threads,
        idleSeconds,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        factory(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory factory(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
