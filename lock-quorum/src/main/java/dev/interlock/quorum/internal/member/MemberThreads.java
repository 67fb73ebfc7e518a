package dev.interlock.quorum.internal.member;

import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads on which one member is called: as many as there are calls at once, up to a limit, and
 * none when there are none for a while. More calls wait in order. Thread-safe.
 */
final class MemberThreads {
  /** Calls of one member at once; more wait. Most backends share what so many threads send. */
  static final int MOST = 32;

  private static final Duration IDLE = Duration.ofSeconds(10);

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

    /**
     * Only if there is a thread for every call: else the pool starts one more. A thread may end
     * meanwhile. Then it takes the call along if the call was there before it ended, see
     * {@link #last}, and else it is not counted by the second look.
     */
    @Override
    public boolean offer(Runnable call) {
      return isThreadForAll() && enqueue(call) && (isThreadForAll() || !remove(call));
    }

    private boolean isThreadForAll() {
      return calls.get() <= pool.getPoolSize();
    }

    /** Whether or not a thread is idle. */
    boolean enqueue(Runnable call) {
      return super.offer(call);
    }
  }

  MemberThreads(String name) {
    this(name, IDLE, work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    });
  }

  /**
   * Creates.
   *
   * @param name for messages
   * @param idle after which a thread ends
   * @param threads makes them
   */
  MemberThreads(String name, Duration idle, ThreadFactory threads) {
    this.name = name;
    ThreadFactory each = work -> threads.newThread(() -> {
      work.run();
      last();
    });
    this.pool = new ThreadPoolExecutor(
        0, MOST, idle.toNanos(), TimeUnit.NANOSECONDS, waiting, each, this::full);
  }

  /** A thread that ends may have been counted on by a call that would wait for a busy one now. */
  private void last() {
    for (Runnable call = waiting.poll(); call != null; call = waiting.poll()) {
      call.run();
    }
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
   * @throws Error if there are no threads to be had; the call does not run then
   */
  void execute(Runnable call) {
    calls.incrementAndGet();
    AtomicBoolean decided = new AtomicBoolean();
    try {
      pool.execute(() -> {
        if (decided.compareAndSet(false, true)) {
          try {
            call.run();
          } finally {
            calls.decrementAndGet(); // what is asked behind it has been handed in by now
          }
        }
      });
    } catch (RejectedExecutionException | Error e) {
      // The pool may have queued it, and have failed then: another thread may have it by now.
      if (decided.compareAndSet(false, true)) {
        calls.decrementAndGet();
        throw e;
      }
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
    var unused = Uninterruptibly.await(
        () -> pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }
}
