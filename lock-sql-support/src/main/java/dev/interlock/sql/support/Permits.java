package dev.interlock.sql.support;

import java.sql.Connection;
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

  /** Has connections. */
  public interface Source {
    /**
     * Takes one.
     *
     * @return a connection
     * @throws SQLException if there is none
     */
    Connection take() throws SQLException;
  }

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
   * Takes a connection under a permit that the caller has.
   *
   * @param source where it comes from
   * @return a connection; the permit is given back with it
   * @throws SQLException if there is none; then the permit was given back, as after an Error, such
   *     as no memory for a thread of a pool
   */
  public Connection lend(Source source) throws SQLException {
    try {
      return source.take();
    } catch (SQLException | RuntimeException | Error e) {
      giveBack();
      throw e;
    }
  }

  /** Gives a permit back. */
  public void giveBack() {
    free.release();
  }
}
