package dev.interlock.redis.support;

import dev.interlock.spi.Uninterruptibly;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks several servers where things are, which takes long if they are silent: on a daemon thread
 * that ends with the answer, once for all who want to know, and not more often than is useful. Who
 * wants to know too soon after the last time is not forgotten: what it has heard of may be newer
 * than that answer. Thread-safe.
 */
public final class BackgroundLook implements AutoCloseable {
  private static final Logger LOG = System.getLogger(BackgroundLook.class.getName());

  private record Look(Runnable work, long beganAt, CountDownLatch ended) {}

  private final String threadName;
  private final long pause;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Object monitor = new Object();
  private volatile Look latest; // written under the monitor

  /** What the next look is to do; null if nobody has wanted one since the latest began. */
  private @Nullable Runnable wanted;

  /** Whether there is a thread, which also begins the next look. */
  private boolean hasThread;

  /**
   * Begins nothing.
   *
   * @param threadName of the thread
   * @param pause between the beginnings of two looks, at least
   */
  public BackgroundLook(String threadName, Duration pause) {
    this.threadName = threadName;
    this.pause = pause.toNanos();
    this.latest = new Look(() -> {}, System.nanoTime() - this.pause, new CountDownLatch(0));
  }

  /**
   * Has somebody look: now, or, if somebody is at it or just did, once that look is over and the
   * pause has passed. All who want one meanwhile share it. Nobody looks after close. Does not
   * block, and does not fail where there is no memory for a thread: whoever gives a faulty
   * connection back has more to do.
   *
   * @param work blocks for a bounded time
   */
  public void begin(Runnable work) {
    Look first = null;
    synchronized (monitor) {
      if (closed.getCount() == 0) {
        return;
      }
      wanted = work;
      if (hasThread) {
        return;
      }
      hasThread = true;
      if (pauseLeft() <= 0) {
        first = next(work); // here, so that the caller can await it
      }
    }
    start(first);
  }

  private long pauseLeft() {
    return latest.beganAt + pause - System.nanoTime();
  }

  private Look next(Runnable work) {
    Look next = new Look(work, System.nanoTime(), new CountDownLatch(1));
    wanted = null;
    latest = next;
    return next;
  }

  /**
   * Tells whether nobody has looked for long.
   *
   * @param age how long
   * @return whether the look that began last is longer ago than this
   */
  public boolean isOlderThan(Duration age) {
    return System.nanoTime() - latest.beganAt > age.toNanos();
  }

  private void start(@Nullable Look first) {
    Thread thread = new Thread(() -> lookOn(first), threadName);
    thread.setDaemon(true);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } catch (OutOfMemoryError e) {
      LOG.log(Level.DEBUG, "no thread to look with: another time", e);
    } finally {
      if (!started) {
        endThread();
        if (first != null) {
          first.ended.countDown();
        }
      }
    }
  }

  private void lookOn(@Nullable Look first) {
    boolean ended = false;
    try {
      Look look = first == null ? awaitNext() : first;
      while (look != null) {
        look(look);
        look = awaitNext();
      }
      ended = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody does; it would end all the same
    } finally {
      if (!ended) { // after an error: another thread may look
        endThread();
      }
    }
  }

  private static void look(Look look) {
    try {
      look.work.run();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "nothing new was learned", e);
    } finally {
      look.ended.countDown();
    }
  }

  /** Returns null if nobody wants one; then the thread is none any more. */
  private @Nullable Look awaitNext() throws InterruptedException {
    while (true) {
      long left;
      synchronized (monitor) {
        Runnable work = wanted;
        if (work == null || closed.getCount() == 0) {
          hasThread = false;
          return null;
        }
        left = pauseLeft();
        if (left <= 0) {
          return next(work);
        }
      }
      var unused = closed.await(left, TimeUnit.NANOSECONDS);
    }
  }

  private void endThread() {
    synchronized (monitor) {
      hasThread = false;
    }
  }

  /**
   * Waits for the end of the look that began last.
   *
   * @param limit how long after its beginning to go on without
   */
  public void await(Duration limit) {
    Look last = latest;
    long deadline = last.beganAt + limit.toNanos();
    var unused = Uninterruptibly.await(
        () -> last.ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  /** Begins no look any more; does not wait for one that has begun. */
  @Override
  public void close() {
    closed.countDown();
  }
}
