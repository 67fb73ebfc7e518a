package dev.interlock.internal.running;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gives a pool one more thread for each whose task lasts: its server may have fallen silent just
 * now, and the next task may have another one. Looks at all of them from time to time, so a task
 * that is quick costs no timer.
 */
final class StandIns {
  /** A task that has run for so long, in nanoseconds, is not waited for. */
  private static final long LASTING = 200_000_000;

  /** However many tasks last. */
  private static final int MOST_THREADS = 32;

  private final ThreadPoolExecutor pool;
  private final int usual;
  private final ClientThreads threads;
  private final Map<Thread, Long> begun = new ConcurrentHashMap<>();
  private final AtomicBoolean watching = new AtomicBoolean();

  StandIns(ThreadPoolExecutor pool, ClientThreads threads) {
    this.pool = pool;
    this.usual = pool.getCorePoolSize();
    this.threads = threads;
  }

  /** Runs a task on a thread of the pool, which is this one. */
  void run(Runnable task) {
    Thread thread = Thread.currentThread();
    begun.put(thread, System.nanoTime());
    try {
      watch();
      task.run();
    } finally {
      begun.remove(thread);
    }
  }

  private void watch() {
    if (watching.get() || !watching.compareAndSet(false, true)) {
      return;
    }
    try {
      var unused = threads.schedule(this::look, LASTING);
    } catch (Error e) {
      watching.set(false);
      threads.report(
          "The timer of the lock client could not be started; a task has no stand-in", e);
    }
  }

  private void look() {
    watching.set(false); // first: whoever begins from now on sees to the next look
    long now = System.nanoTime();
    int lasting = 0;
    for (long since : begun.values()) {
      if (now - since >= LASTING) {
        lasting++;
      }
    }
    if (!begun.isEmpty()) {
      watch();
    }
    resize(Math.min(MOST_THREADS, usual + lasting));
  }

  /** Both bounds are the same: above the second one threads end although there is work. */
  private void resize(int size) {
    if (size > pool.getCorePoolSize()) {
      pool.setMaximumPoolSize(size);
      pool.setCorePoolSize(size);
    } else {
      pool.setCorePoolSize(size);
      pool.setMaximumPoolSize(size);
    }
  }
}
