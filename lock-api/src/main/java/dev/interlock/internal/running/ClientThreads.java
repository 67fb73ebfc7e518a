package dev.interlock.internal.running;

import dev.interlock.spi.Uninterruptibly;
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

  /** When to try again to start a thread, in nanoseconds. */
  private static final long THREAD_RETRY = 50_000_000;

  /**
   * For the actions on a loss, and for nothing else: the news that work must stop gets through also
   * while the application keeps all other threads busy.
   */
  private static final ThreadPoolExecutor LOSSES =
      pool(LOSS_THREADS, SHORT_IDLE_SECONDS, ofNobody("interlock-loss"));

  /** For what is to be looked at although its client was closed. */
  private static final ScheduledThreadPoolExecutor LATE =
      timer(SHORT_IDLE_SECONDS, ofNobody("interlock-late"));

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
  private final StandIns resultStandIns;
  private final ThreadPoolExecutor failures;
  private final StandIns failureStandIns;
  private final @Nullable Executor named;
  private final AtomicInteger droppedNotices = new AtomicInteger();

  /**
   * @param client for the names of the threads
   * @param named where the application wants the results of asynchronous requests, if it says so
   */
  public ClientThreads(String client, @Nullable Executor named) {
    this.named = named;
    timer = timer(IDLE_SECONDS, factory("interlock-timer-" + client));
    // Renewals bounds how many run at once.
    renewals = new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        factory("interlock-renewal-" + client));
    io = pool(IO_THREADS, IDLE_SECONDS, factory("interlock-io-" + client));
    ioStandIns = new StandIns(io, this);
    cleanups = pool(CLEANUP_THREADS, IDLE_SECONDS, factory("interlock-cleanup-" + client));
    cleanupStandIns = new StandIns(cleanups, this);
    retries = pool(CLEANUP_THREADS, IDLE_SECONDS, factory("interlock-cleanup-retry-" + client));
    closings = pool(CLOSING_THREADS, SHORT_IDLE_SECONDS, factory("interlock-close-" + client));
    notices = pool(
        1,
        IDLE_SECONDS,
        factory("interlock-notice-" + client),
        new LinkedBlockingQueue<>(MOST_NOTICES));
    results = pool(RESULT_THREADS, SHORT_IDLE_SECONDS, factory("interlock-result-" + client));
    resultStandIns = new StandIns(results, this);
    failures = pool(RESULT_THREADS, SHORT_IDLE_SECONDS, factory("interlock-failure-" + client));
    failureStandIns = new StandIns(failures, this);
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
    return Uninterruptibly.await(
        () -> open.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
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
   * Hands a lease to the application's executor, or to a thread of the client if it named none.
   * Also after close.
   *
   * @param refused if the executor does not take it; called on a thread of the client
   */
  public void deliver(Runnable result, Consumer<Throwable> refused) {
    Runnable handOver = handOver(result, refused);
    submit(results, () -> resultStandIns.run(handOver));
  }

  /** The same with a failure, which does not wait for those who do something with a lease. */
  public void deliverFailure(Runnable failure, Consumer<Throwable> refused) {
    failure(handOver(failure, refused));
  }

  private Runnable handOver(Runnable result, Consumer<Throwable> refused) {
    Executor executor = named;
    if (executor == null) {
      return result;
    }
    return () -> {
      try {
        executor.execute(result);
      } catch (Throwable e) {
        refused.accept(e);
      }
    };
  }

  /** Runs what follows in the application from a failure. Also after close. */
  public void failure(Runnable task) {
    submit(failures, () -> failureStandIns.run(task));
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
    var unused = Uninterruptibly.await(
        () -> executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
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
      startLater(executor);
    }
  }

  /** What waits for a thread must not wait for another task, which may never come. */
  private void startLater(ThreadPoolExecutor executor) {
    try {
      var unused = schedule(() -> start(executor), THREAD_RETRY);
    } catch (Error e) {
      // Nor one for the timer. The next task of either starts what waits.
    }
  }

  private void start(ThreadPoolExecutor executor) {
    try {
      var unused = executor.prestartCoreThread();
    } catch (Error e) {
      startLater(executor);
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

  private static ThreadPoolExecutor pool(int threads, long idleSeconds, ThreadFactory factory) {
    return pool(threads, idleSeconds, factory, new LinkedBlockingQueue<>());
  }

  private static ThreadPoolExecutor pool(
      int threads, long idleSeconds, ThreadFactory factory, BlockingQueue<Runnable> queue) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(threads, threads, idleSeconds, TimeUnit.SECONDS, queue, factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ScheduledThreadPoolExecutor timer(long idleSeconds, ThreadFactory factory) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory);
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setKeepAliveTime(idleSeconds, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  /** For threads that work for all clients. */
  private static ThreadFactory ofNobody(String name) {
    return factory(name, ClientThreads.class.getClassLoader());
  }

  /** For threads of a client, which find what the thread that opens it finds. */
  private static ThreadFactory factory(String name) {
    return factory(name, Thread.currentThread().getContextClassLoader());
  }

  /** They inherit nothing of whoever happens to need one first, such as its user's identity. */
  private static ThreadFactory factory(String name, @Nullable ClassLoader loader) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(null, task, name + "-" + count.incrementAndGet(), 0, false);
      thread.setContextClassLoader(loader);
      thread.setDaemon(true);
      return thread;
    };
  }
}
