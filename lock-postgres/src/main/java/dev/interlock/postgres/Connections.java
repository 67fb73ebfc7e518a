package dev.interlock.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.LockConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client: from a pool of its own, or from the application's. Attempts together
 * use fewer than there are, so that a release or a renewal always finds one. Thread-safe.
 */
final class Connections {
  private static final int KEPT_FOR_URGENT = 2;

  /** The shortest that the pool knows. An outage that begins while it waits is noticed after it. */
  private static final long LOOK_MILLIS = 250;

  private static final long IDLE_MILLIS = 60_000;

  private final DataSource pool;
  private final @Nullable Servers servers;
  private final Semaphore attempts;
  private final long patienceNanos;
  private final Set<Connection> manual = ConcurrentHashMap.newKeySet();

  private Connections(DataSource pool, @Nullable Servers servers, int attempts, Duration patience) {
    this.pool = pool;
    this.servers = servers;
    this.attempts = new Semaphore(attempts, true);
    this.patienceNanos = patience.toNanos();
  }

  static Connections own(Servers servers, LockConfig config, String clientId) {
    int size = config.get(PostgresOptions.POOL_SIZE);
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("interlock-" + clientId);
    pool.setDataSource(servers);
    pool.setMaximumPoolSize(size + KEPT_FOR_URGENT);
    pool.setMinimumIdle(KEPT_FOR_URGENT);
    pool.setIdleTimeout(IDLE_MILLIS);
    pool.setMaxLifetime(0); // the server ends none by itself
    pool.setConnectionTimeout(LOOK_MILLIS);
    // An idle connection on which no answer comes must leave the time to open another one.
    Duration patience = config.get(PostgresOptions.CONNECT_TIMEOUT);
    pool.setValidationTimeout(Math.max(LOOK_MILLIS, patience.toMillis() / 2));
    pool.setInitializationFailTimeout(-1);
    Connections connections = new Connections(new HikariDataSource(pool), servers, size, patience);
    servers.setPersistent(true);
    return connections;
  }

  static Connections over(DataSource pool, LockConfig config) {
    int size = config.get(PostgresOptions.POOL_SIZE);
    return new Connections(
        pool, null, Math.max(1, size - 1), config.get(PostgresOptions.CONNECT_TIMEOUT));
  }

  /**
   * Takes a connection in autocommit mode.
   *
   * @param urgent whether it is for what frees or keeps locks
   */
  Connection take(boolean urgent) throws SQLException {
    if (urgent) {
      return take();
    }
    permit();
    try {
      return take();
    } catch (SQLException | RuntimeException e) {
      attempts.release();
      throw e;
    }
  }

  private void permit() throws SQLException {
    try {
      boolean atOnce = !attempts.hasQueuedThreads() && attempts.tryAcquire();
      if (!atOnce && !attempts.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS)) {
        throw new SQLTransientConnectionException("all connections are in use");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
    }
  }

  private Connection take() throws SQLException {
    Connection connection = fromPool();
    try {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
        manual.add(connection);
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private Connection fromPool() throws SQLException {
    Servers own = servers;
    long deadline = System.nanoTime() + patienceNanos;
    while (true) {
      try {
        return pool.getConnection();
      } catch (SQLTransientConnectionException e) {
        SQLException outage = own == null ? e : own.outage();
        if (outage != null) {
          throw new SQLTransientConnectionException(
              "the server cannot be reached", outage.getSQLState(), outage);
        }
        if (System.nanoTime() - deadline >= 0) {
          throw e;
        }
      }
    }
  }

  /** Gives it back; one that is not healthy is not used again. */
  void giveBack(Connection connection, boolean urgent, boolean healthy) {
    try (connection) {
      boolean manually = manual.remove(connection);
      if (!healthy) {
        discard(connection);
      } else if (manually) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException e) {
      // The pool finds out for itself that it is broken.
    } finally {
      if (!urgent) {
        attempts.release();
      }
    }
  }

  /** Where no answer came on one, each of the others that are idle would cost its time again. */
  private void discard(Connection connection) throws SQLException {
    if (pool instanceof HikariDataSource hikari) {
      hikari.evictConnection(connection);
      if (servers != null) {
        hikari.getHikariPoolMXBean().softEvictConnections();
      }
    } else {
      connection.abort(Runnable::run);
    }
  }

  /** Opens or takes a connection to listen on, for a long time. */
  Connection listener() throws SQLException {
    if (servers != null) {
      return servers.open();
    }
    Connection connection = pool.getConnection();
    try {
      connection.setAutoCommit(true);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Ends it: what it still might hear of must not reach others. */
  void endListener(Connection connection) throws SQLException {
    try (connection) {
      if (servers == null) {
        discard(connection);
      }
    }
  }

  void close() {
    if (servers != null && pool instanceof HikariDataSource own) {
      servers.setPersistent(false);
      own.close();
    }
  }
}
