package dev.interlock.sql.support;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.LockConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * An application's own pool. Attempts together use one connection less than they might, so that a
 * release or a renewal always finds one. Connections are returned as they were taken.
 */
public final class SharedPool implements Connections {
  private final DataSource pool;
  private final Permits attempts;
  private final Outfit outfit;
  private final Set<Connection> manual = ConcurrentHashMap.newKeySet();

  /**
   * Takes none yet.
   *
   * @param size how many connections this client may use, but for the one that it listens on
   * @param patience how long an attempt waits for one
   * @param outfit what connections are given while this client has them
   * @throws LockConfigurationException if the pool is known to have only one connection
   */
  public SharedPool(DataSource pool, int size, Duration patience, Outfit outfit) {
    if (pool instanceof HikariDataSource hikari && hikari.getMaximumPoolSize() == 1) {
      throw new LockConfigurationException("the pool has one connection only: one is listened on"
          + " while somebody waits, so nothing could be acquired or released then. Set its"
          + " maximumPoolSize to 2 or more, best to poolSize + 1");
    }
    this.pool = pool;
    this.attempts = new Permits(Math.max(1, size - 1), patience);
    this.outfit = outfit;
  }

  /**
   * What a connection is given on its way from the application's pool, and loses on its way back.
   */
  public interface Outfit {
    /** None. */
    Outfit NONE = new Outfit() {
      @Override
      public void putOn(Connection connection) {}

      @Override
      public void takeOff(Connection connection) {}
    };

    /**
     * Makes a connection fit.
     *
     * @throws SQLException if it cannot be made so
     */
    void putOn(Connection connection) throws SQLException;

    /**
     * Makes it as it was.
     *
     * @throws SQLException if it cannot be made so
     */
    void takeOff(Connection connection) throws SQLException;
  }

  @Override
  public Connection take(boolean urgent) throws SQLException {
    if (urgent) {
      return prepared();
    }
    attempts.take();
    return attempts.lend(this::prepared);
  }

  private Connection prepared() throws SQLException {
    Connection connection = pool.getConnection();
    try {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
        manual.add(connection);
      }
      outfit.putOn(connection);
      return connection;
    } catch (SQLException | RuntimeException | Error e) {
      giveBack(connection, true, true);
      throw e;
    }
  }

  @Override
  public void giveBack(Connection connection, boolean urgent, boolean healthy) {
    try {
      boolean manually = manual.remove(connection);
      if (!healthy) {
        discard(connection);
        return;
      }
      if (manually) {
        connection.setAutoCommit(false);
      }
      outfit.takeOff(connection);
    } catch (SQLException | RuntimeException e) {
      // The pool finds out for itself that it is broken.
    } finally {
      try {
        connection.close();
      } catch (SQLException | RuntimeException e) {
        // Nothing more can be done with it.
      } finally {
        if (!urgent) {
          attempts.giveBack();
        }
      }
    }
  }

  private void discard(Connection connection) throws SQLException {
    // A pool of Hikari's behind a proxy for its connections does not know them, and would keep
    // them.
    if (connection.getClass().getName().startsWith("com.zaxxer.hikari")
        && pool.isWrapperFor(HikariDataSource.class)) {
      pool.unwrap(HikariDataSource.class).evictConnection(connection);
    } else {
      connection.abort(Runnable::run);
    }
  }

  /**
   * In a transaction it would see what was there when it began to listen and nothing later (MySQL),
   * or not listen before its end (PostgreSQL).
   */
  @Override
  public Connection listener() throws SQLException {
    Connection connection = pool.getConnection();
    try {
      connection.setAutoCommit(true);
      outfit.putOn(connection); // for good: it is not given back
      return connection;
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /** Not for others any more: a late wake-up must not reach their statements. */
  @Override
  public void endListener(Connection connection) throws SQLException {
    try {
      discard(connection);
    } finally {
      connection.close();
    }
  }

  @Override
  public void close() {}
}
