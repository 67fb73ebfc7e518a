package dev.interlock.sql.support;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Counts the connections that attempts use, so that they leave what they must. Who waited longest
 * is served first. Thread-safe.
 */
public final class Permits {
  private final Semaphore free;
  private final Duration patience;

  /**
   * Creates.
   *
   * @param count how many connections may be in use
   * @param patience how long to wait for one
   */
  public Permits(int count, Duration patience) {
    this.free = new Semaphore(count, true);
    this.patience = patience;
  }

  /**
   * Waits for a permit. An interrupt matters only where it has to wait.
   *
   * @throws SQLException a SQLTransientConnectionException if none is to be had in time, or on an
   *     interrupt, which is kept
   */
  public void take() throws SQLException {
    try {
      boolean atOnce = !free.hasQueuedThreads() && free.tryAcquire();
      if (!atOnce && !free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new SQLTransientConnectionException(
            "all connections are in use, or cannot be opened");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
    }
  }

  /**
   * Takes a permit if one is free.
   *
   * @return whether it has one
   */
  public boolean tryTake() {
    return free.tryAcquire();
  }

  /** Gives a permit back. */
  public void giveBack() {
    free.release();
  }
}
