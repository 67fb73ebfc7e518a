package dev.interlock.mysql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.mysql.Opener.Outage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;

/** A pool of connections that does not wait for a server that cannot be reached. Thread-safe. */
final class Pool {
  private static final long IDLE_MILLIS = 60_000;

  /** How soon a thread that waits looks whether the server can be reached. Hikari's shortest. */
  private static final long LOOK_MILLIS = 250;

  private final Opener opener;
  private final Duration patience;
  private final HikariDataSource connections;

  /**
   * Opens a first connection.
   *
   * @param name for the pool's threads and messages
   * @param opener opens the connections
   * @param patience how long to wait for one
   * @param size the most connections
   * @param idle how many are kept open
   */
  Pool(String name, Opener opener, Duration patience, int size, int idle) {
    this.opener = opener;
    this.patience = patience;
    HikariConfig hikari = new HikariConfig();
    hikari.setPoolName(name);
    hikari.setDataSource(opener);
    hikari.setMaximumPoolSize(size);
    hikari.setMinimumIdle(idle);
    hikari.setIdleTimeout(IDLE_MILLIS);
    hikari.setConnectionTimeout(LOOK_MILLIS);
    // An idle connection on which no answer comes must leave the time to open another one.
    hikari.setValidationTimeout(Math.max(LOOK_MILLIS, patience.toMillis() / 2));
    hikari.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    this.connections = new HikariDataSource(hikari);
  }

  /**
   * Takes a connection, and waits for one if need be.
   *
   * @throws SQLTransientConnectionException if none is to be had in time, or the server cannot be
   *     reached
   */
  Connection take() throws SQLException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      Outage outage = opener.outage();
      if (outage != null && outage.isLong() && idle() == 0) {
        throw unreachable(outage.reason());
      }
      try {
        Connection connection = connections.getConnection();
        if (!connection.unwrap(Connection.class).isClosed()) {
          return connection;
        }
        // Cut by this client; the pool looks only at those that were idle for a while.
        giveBack(connection, false);
      } catch (SQLTransientConnectionException e) {
        outage = opener.outage();
        if (outage != null) {
          throw unreachable(outage.reason());
        }
        if (System.nanoTime() - deadline >= 0) {
          throw e;
        }
      }
    }
  }

  private static SQLException unreachable(SQLException reason) {
    return new SQLTransientConnectionException(
        "the server cannot be reached", reason.getSQLState(), reason);
  }

  int idle() {
    return connections.getHikariPoolMXBean().getIdleConnections();
  }

  /**
   * Returns a connection. One that is of no use any more is closed, and so are the others that are
   * idle: where no answer came on it, each of them would cost its time again.
   */
  void giveBack(Connection connection, boolean healthy) {
    if (!healthy) {
      connections.evictConnection(connection);
      connections.getHikariPoolMXBean().softEvictConnections();
    }
    try {
      connection.close();
    } catch (SQLException e) {
      connections.evictConnection(connection);
    }
  }

  void close() {
    connections.close();
  }
}
