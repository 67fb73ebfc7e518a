package dev.interlock.quorum;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads on which one member is called: as many as there are calls at once, up to a limit, and
 * none when there are none for a while. More calls wait in order. Thread-safe.
 */
final class MemberThreads {
  /** Calls of one member at once; more wait. Most backends share what so many threads send. */
  static final int MOST = 32;

  private static final long IDLE_SECONDS = 10;

  private final String name;

  /** Those that were handed in and have not ended. */
  private final AtomicInteger calls = new AtomicInteger();

  private final Waiting waiting = new Waiting();
  private final ThreadPoolExecutor pool;

  /**
   * A pool with a plain queue starts no thread beyond its core while the queue has room, and a core
   * of this size would start a thread for each call although others are idle.
   */
  private final class Waiting extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    /** Only if there is a thread for every call: else the pool starts one more. */
    @Override
    public boolean offer(Runnable call) {
      return calls.get() <= pool.getPoolSize() && enqueue(call);
    }

    /** Whether or not a thread is idle. */
    boolean enqueue(Runnable call) {
      return super.offer(call);
    }
  }

  MemberThreads(String name) {
    this.name = name;
    this.pool = new ThreadPoolExecutor(
        0, MOST, IDLE_SECONDS, TimeUnit.SECONDS, waiting, this::thread, this::full);
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  private void full(Runnable call, ThreadPoolExecutor full) {
    if (full.isShutdown()) {
      throw new RejectedExecutionException(name + " is closed");
    }
    var unused = waiting.enqueue(call); // it has no bound
  }

  /**
   * Runs a call on one of the threads. Does not block.
   *
   * @throws RejectedExecutionException after {@link #close}
   */
  void execute(Runnable call) {
    calls.incrementAndGet();
    try {
      pool.execute(() -> {
        try {
          call.run();
        } finally {
          calls.decrementAndGet(); // what is asked behind it has been handed in by now
        }
      });
    } catch (RejectedExecutionException | Error e) { // an Error: there are no threads to be had
      calls.decrementAndGet();
      throw e;
    }
  }

  /**
   * Blocks until all calls have ended, with those that are asked behind them, such as the last
   * releases. No more are taken after that, nor after the deadline.
   *
   * @param deadline by {@link System#nanoTime()}
   */
  void close(long deadline) {
    while (calls.get() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(this, 1_000_000);
    }
    pool.shutdown();
    boolean interrupted = false;
    while (!pool.isTerminated() && System.nanoTime() - deadline < 0) {
      try {
        var unused = pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
