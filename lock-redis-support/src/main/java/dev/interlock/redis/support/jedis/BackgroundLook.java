package dev.interlock.redis.support.jedis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Asks several servers where things are, which takes long if they are silent: on a daemon thread
 * that ends with the answer, once for all who want to know, and not more often than is useful.
 * Thread-safe.
 */
final class BackgroundLook {
  private static final Logger LOG = System.getLogger(BackgroundLook.class.getName());

  private record Look(long beganAt, CountDownLatch ended) {}

  private final String threadName;
  private final long pause;
  private final AtomicReference<Look> latest;

  /**
   * Begins nothing.
   *
   * @param threadName of the thread
   * @param pause between the beginnings of two looks, at least
   */
  BackgroundLook(String threadName, Duration pause) {
    this.threadName = threadName;
    this.pause = pause.toNanos();
    this.latest =
        new AtomicReference<>(new Look(System.nanoTime() - this.pause, new CountDownLatch(0)));
  }

  /**
   * Begins to look, unless somebody is at it or just did. Does not block, and does not fail where
   * there is no memory for a thread: whoever gives a faulty connection back has more to do.
   */
  void begin(Runnable work) {
    Look last = latest.get();
    long now = System.nanoTime();
    if (last.ended.getCount() > 0 || now - last.beganAt < pause) {
      return;
    }
    Look next = new Look(now, new CountDownLatch(1));
    if (latest.compareAndSet(last, next)) {
      start(work, next);
    }
  }

  /** Whether the look that began last is longer ago than this. */
  boolean isOlderThan(Duration age) {
    return System.nanoTime() - latest.get().beganAt > age.toNanos();
  }

  private void start(Runnable work, Look look) {
    Thread thread = new Thread(
        () -> {
          try {
            work.run();
          } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "nothing new was learned", e);
          } finally {
            look.ended.countDown();
          }
        },
        threadName);
    thread.setDaemon(true);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } catch (OutOfMemoryError e) {
      LOG.log(Level.DEBUG, "no thread to look with: another time", e);
    } finally {
      if (!started) {
        look.ended.countDown();
      }
    }
  }

  /**
   * Waits for the end of the look that began last.
   *
   * @param limit how long after its beginning to go on without
   */
  void await(Duration limit) {
    Look last = latest.get();
    long deadline = last.beganAt + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          var unused = last.ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return;
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
}
