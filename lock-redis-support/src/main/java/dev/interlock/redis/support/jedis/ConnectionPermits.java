package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Counts the connections in use, so that attempts always leave one for those who hold a lock.
 * Thread-safe; waits for a bounded time, whatever interrupts come.
 */
final class ConnectionPermits {
  private final Semaphore all;
  private final Semaphore attempts;
  private final int size;
  private final Duration timeout;

  ConnectionPermits(int size, Duration timeout) {
    this.all = new Semaphore(size);
    this.attempts = new Semaphore(size - 1);
    this.size = size;
    this.timeout = timeout;
  }

  /** Waits for a turn; throws {@link BackendUnavailableException} once the time is over. */
  void enter(Use use) {
    long deadline = System.nanoTime() + timeout.toNanos();
    if (use == Use.ATTEMPT) {
      enter(attempts, deadline);
    }
    boolean entered = false;
    try {
      enter(all, deadline);
      entered = true;
    } finally {
      if (!entered && use == Use.ATTEMPT) { // also after an error
        attempts.release();
      }
    }
  }

  /** Takes a turn if there is one. */
  boolean tryEnter(Use use) {
    if (use == Use.ATTEMPT && !attempts.tryAcquire()) {
      return false;
    }
    boolean entered = all.tryAcquire();
    if (!entered && use == Use.ATTEMPT) {
      attempts.release();
    }
    return entered;
  }

  void leave(Use use) {
    all.release();
    if (use == Use.ATTEMPT) {
      attempts.release();
    }
  }

  /** Lets those go on who wait: they find the connections closed, and pass their turn on. */
  void close() {
    all.release(size);
    attempts.release(size);
  }

  /** Tells whether somebody waits for a turn. */
  boolean isAwaited() {
    return all.hasQueuedThreads() || attempts.hasQueuedThreads();
  }

  private void enter(Semaphore gate, long deadline) {
    boolean entered = Uninterruptibly.await(
        () -> gate.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
    if (!entered) {
      throw new BackendUnavailableException(
          "No Redis connection became free within " + timeout.toMillis()
              + " ms: pool exhausted (size " + size
              + "). Make the pool larger, or find out why the server is slow");
    }
  }
}
