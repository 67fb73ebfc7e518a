package dev.interlock.internal.running;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All threads of a client: a bounded number, daemons, started on demand and ended when idle. Each
 * kind of work has its own, so that none waits for another: the timer never does I/O, a renewal
 * never waits for an attempt or a clean-up, and what may take as long as the application likes
 * (listeners, loggers, whoever waits for a result) runs on threads that do nothing else.
 */
public final class ClientThreads {
  private static final Logger LOG = System.getLogger("dev.interlock");

  /** For how long, in nanoseconds, closing waits until listeners have heard what there was. */
  private static final long TELLING = 1_000_000_000;

  private static final int IO_THREADS = 4;
  private static final int CLEANUP_THREADS = 2;

  /** A server that is silent takes up as many of them as there are locks on it. */
  private static final int CLOSING_THREADS = 32;

  private static final int RESULT_THREADS = 4;
  private static final int LOSS_THREADS = 4;
  private static final long IDLE_SECONDS = 10;

  /** So that soon after the client, or the last of them, was closed nothing is left. */
  private static final long SHORT_IDLE_SECONDS = 1;

  /** A listener that hangs must not take all memory: some ten megabytes of events. */
  private static final int MOST_NOTICES = 65_536;

  /**
   * For the actions on a loss, and for nothing else: the news that work must stop gets through also
   * while the application keeps all other threads busy.
   */
  private static final ThreadPoolExecutor LOSSES =
      pool(LOSS_THREADS, "interlock-loss", SHORT_IDLE_SECONDS);

  /** For what is to be looked at although its client was closed. */
  private static final ScheduledThreadPoolExecutor LATE =
      timer("interlock-late", SHORT_IDLE_SECONDS);

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;
  private final ThreadPoolExecutor io;
  private final StandIns ioStandIns;
  private final ThreadPoolExecutor cleanups;
  private final StandIns cleanupStandIns;
  private final ThreadPoolExecutor retries;
  private final ThreadPoolExecutor closings;
  private final ThreadPoolExecutor notices;
  // Never shut down: a result comes also after the client was closed, and its threads end by
  // themselves.
  private final ThreadPoolExecutor results;
  private final @Nullable Executor named;
  private final AtomicInteger droppedNotices = new AtomicInteger();

  /**
   * @param client for the names of the threads
   * @param named where the application wants the results of asynchronous requests, if it says so
   */
  public ClientThreads(String client, @Nullable Executor named) {
    this.named = named;
    timer = timer("interlock-timer-" + client, IDLE_SECONDS);
    // Renewals bounds how many run at once.
    renewals = new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        factory("interlock-renewal-" + client));
    io = pool(IO_THREADS, "interlock-io-" + client, IDLE_SECONDS);
    ioStandIns = new StandIns(io, this);
    cleanups = pool(CLEANUP_THREADS, "interlock-cleanup-" + client, IDLE_SECONDS);
    cleanupStandIns = new StandIns(cleanups, this);
    retries = pool(CLEANUP_THREADS, "interlock-cleanup-retry-" + client, IDLE_SECONDS);
    closings = pool(CLOSING_THREADS, "interlock-close-" + client, SHORT_IDLE_SECONDS);
    notices = pool(
        1, "interlock-notice-" + client, IDLE_SECONDS, new LinkedBlockingQueue<>(MOST_NOTICES));
    results = pool(RESULT_THREADS, "interlock-result-" + client, SHORT_IDLE_SECONDS);
  }

  /** Runs it on the timer thread; it must not block. Ignored after close. */
  @Nullable
  public Future<?> schedule(Runnable task, long delayNanos) {
    try {
      return timer.schedule(
          () -> MustNotBlock.run(guarded(task)), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return null; // The client is closed: whatever the task was for has been ended already.
    }
  }

  /** Runs it at a moment, as {@link #schedule} does, whether the client was closed or not. */
  public static Future<?> scheduleLate(Runnable task, long at) {
    return LATE.schedule(task, Math.max(0, at - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  /** Runs it on a renewal thread. Answers false, and does not run it, after close. */
  boolean renew(Runnable task) {
    try {
      renewals.execute(() -> MustNotBlock.run(guarded(task)));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Runs it on one of the few I/O threads. Ignored after close. */
  public void io(Runnable task) {
    submit(io, () -> ioStandIns.run(task));
  }

  /**
   * Removes something from the server that nobody waits for. Ignored after close.
   *
   * @param doubtful its server may be silent, so it must not hold up what can be done at once
   */
  public void cleanUp(Runnable task, boolean doubtful) {
    if (doubtful) {
      submit(retries, task);
    } else {
      submit(cleanups, () -> cleanupStandIns.run(task));
    }
  }

  /**
   * Does something with each of many, for closing, several at once. After the deadline nothing is
   * begun, nor waited for. Keeps interrupts. Answers whether all was over in time.
   */
  public <T> boolean closeAll(Collection<T> all, Consumer<T> task, long deadline) {
    List<T> each = List.copyOf(all);
    CountDownLatch open = new CountDownLatch(each.size());
    for (T one : each) {
      Runnable close = guarded(() -> {
        try {
          if (System.nanoTime() - deadline < 0) {
            task.accept(one);
          }
        } finally {
          open.countDown();
        }
      });
      try {
        closings.execute(close);
      } catch (Error e) { // no thread could be started, and there may be none to take it
        close.run();
      }
    }
    return uninterruptibly(() -> open.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  /**
   * Tells somebody something, one after the other. Answers false, and does not run it, after close
   * and when too many wait because one hangs.
   */
  boolean notice(Runnable task) {
    Runnable told = () -> Listeners.quietly(() -> {
      task.run();
      int dropped = droppedNotices.getAndSet(0);
      if (dropped > 0) {
        LOG.log(
            Level.WARNING,
            "A LockListener was too slow: {0} events were not told",
            Integer.toString(dropped));
      }
    });
    boolean kept = !notices.isShutdown() && notices.getQueue().offer(told);
    if (kept) {
      try {
        // Not execute(): a thread that it starts would begin with this one, before those who wait.
        var unused = notices.prestartCoreThread();
      } catch (Error e) {
        // No thread could be started. That of the next event tells this one as well.
      }
      kept = !notices.isShutdown() || !notices.remove(told);
    }
    if (!kept) {
      droppedNotices.incrementAndGet();
    }
    return kept;
  }

  /** Logs a fault of a background task. */
  void report(String what, Throwable fault) {
    notice(() -> LOG.log(Level.ERROR, what, fault));
  }

  /** Tells the application that a lease was lost. */
  public static void loss(Runnable told) {
    try {
      LOSSES.execute(told);
    } catch (Error e) { // no thread could be started: that of the next loss tells this one as well
      LOSSES.getQueue().add(told);
    }
  }

  /**
   * Hands a result to the application's executor, or to a thread of the client if it named none.
   * Also after close.
   *
   * @param refused if the executor does not take it; called on a thread of the client
   */
  public void deliver(Runnable result, Consumer<Throwable> refused) {
    Executor executor = named;
    if (executor == null) {
      result(result);
      return;
    }
    result(() -> {
      try {
        executor.execute(result);
      } catch (Throwable e) {
        refused.accept(e);
      }
    });
  }

  /** Runs what goes on in the application on a thread of the client. Also after close. */
  public void result(Runnable task) {
    submit(results, task);
  }

  /**
   * Begins nothing any more, and waits for what has begun: an interrupt would break off the
   * backend's call in it. Only what is not over in time is interrupted. Whatever has happened is
   * told before it returns, unless a listener does not take it in time, or closes the client.
   */
  public void close(long nanos) {
    timer.shutdownNow(); // It never blocks, and calls no backend.
    long deadline = System.nanoTime() + nanos;
    List<ThreadPoolExecutor> working = List.of(renewals, io, cleanups, retries, closings);
    for (ThreadPoolExecutor executor : working) {
      executor.shutdown();
      executor.getQueue().clear();
    }
    for (ThreadPoolExecutor executor : working) {
      awaitEnd(executor, deadline);
      executor.shutdownNow();
    }
    notices.shutdown();
    if (!Thread.currentThread().getName().startsWith("interlock-notice-")) {
      awaitEnd(notices, System.nanoTime() + TELLING); // what hangs above is not theirs
    }
    notices.shutdownNow();
  }

  private static void awaitEnd(ThreadPoolExecutor executor, long deadline) {
    // Whether in time or not, its threads are interrupted next.
    var unused = uninterruptibly(
        () -> executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  private interface Wait {
    boolean isOver() throws InterruptedException;
  }

  private static boolean uninterruptibly(Wait wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.isOver();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void submit(ThreadPoolExecutor executor, Runnable task) {
    Runnable guarded = guarded(task);
    try {
      executor.execute(guarded);
    } catch (RejectedExecutionException e) {
      // The client is closed: whatever the task was for has been ended already.
    } catch (Error e) {
      // No thread could be started. The task waits for the next one: dropped, it would be missed.
      executor.getQueue().add(guarded);
      report("A thread of the lock client could not be started", e);
    }
  }

  /** A fault in one task must neither end the thread that serves all others nor go unseen. */
  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable e) {
        report("A background task of the lock client failed", e);
      }
    };
  }

  private static ThreadPoolExecutor pool(int threads, String name, long idleSeconds) {
    return pool(threads, name, idleSeconds, new LinkedBlockingQueue<>());
  }

  private static ThreadPoolExecutor pool(
      int threads, String name, long idleSeconds, BlockingQueue<Runnable> queue) {
    ThreadPoolExecutor pool = new ThreadPoolExecutor(
        threads, threads, idleSeconds, TimeUnit.SECONDS, queue, factory(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ScheduledThreadPoolExecutor timer(String name, long idleSeconds) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory(name));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setKeepAliveTime(idleSeconds, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
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
