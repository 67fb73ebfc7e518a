package dev.interlock.sql.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A pool of connections that does not wait for a server that cannot be reached. Thread-safe. */
public final class Pool {
  private static final long IDLE_MILLIS = 60_000;

  /** How soon a thread that waits looks whether the server can be reached. Hikari's shortest. */
  private static final long LOOK_MILLIS = 250;

  private final Opener opener;
  private final Duration patience;
  private final HikariDataSource connections;

  /** Who waited for longer met a connection on which no answer came, and was not just queued. */
  private final long deafNanos;

  /**
   * Makes a pool. If the given settings say so, it opens a first connection, and throws a
   * RuntimeException if it cannot.
   *
   * @param hikari its name and size, and what is particular to the database; the rest is set here
   * @param opener opens the connections
   * @param patience how long to wait for one
   */
  public Pool(HikariConfig hikari, Opener opener, Duration patience) {
    this.opener = opener;
    this.patience = patience;
    hikari.setDataSource(opener);
    // Or else Hikari asks the first connection, and uses none ever after if that is cut meanwhile.
    hikari.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    hikari.setIdleTimeout(IDLE_MILLIS);
    hikari.setConnectionTimeout(LOOK_MILLIS);
    // An idle connection on which no answer comes must leave the time to open another one.
    long validationMillis = Math.max(LOOK_MILLIS, patience.toMillis() / 2);
    hikari.setValidationTimeout(validationMillis);
    this.deafNanos = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS + validationMillis / 4);
    this.connections = new HikariDataSource(hikari);
  }

  /**
   * Takes a connection, and waits for one if need be.
   *
   * @return a connection for {@link #giveBack}
   * @throws SQLException a SQLTransientConnectionException if none is to be had in time, or the
   *     server cannot be reached
   */
  public Connection take() throws SQLException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      long begun = System.nanoTime();
      try {
        Connection connection = connections.getConnection();
        if (!connection.unwrap(Connection.class).isClosed()) {
          return connection;
        }
        // Cut by this client; the pool looks only at those that were idle for a while.
        giveBack(connection, false);
      } catch (SQLTransientConnectionException e) {
        // Not before that: a connection may come back, or the server just now.
        SQLException outage = opener.outage();
        if (outage != null) {
          throw unreachable(outage);
        }
        long now = System.nanoTime();
        if (now - deadline >= 0) {
          throw e;
        }
        if (now - begun > deafNanos) {
          evictIdle();
        }
      }
    }
  }

  private static SQLException unreachable(SQLException reason) {
    return new SQLTransientConnectionException(
        "the server cannot be reached", reason.getSQLState(), reason);
  }

  /** How many connections can be had without opening one. */
  int idle() {
    return connections.getHikariPoolMXBean().getIdleConnections();
  }

  /**
   * Returns a connection. One that is of no use any more is closed, and so are the others that are
   * idle.
   *
   * @param connection what {@link #take} answered
   * @param healthy false if it is of no use any more
   */
  public void giveBack(Connection connection, boolean healthy) {
    if (!healthy) {
      connections.evictConnection(connection);
      evictIdle();
    }
    try {
      connection.close();
    } catch (SQLException e) {
      connections.evictConnection(connection);
    }
  }

  /** Where no answer came on one, each of the others would cost its time again. */
  private void evictIdle() {
    connections.getHikariPoolMXBean().softEvictConnections();
  }

  /** Closes all connections. */
  public void close() {
    connections.close();
  }
}
