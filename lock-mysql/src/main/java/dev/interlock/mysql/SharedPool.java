package dev.interlock.mysql;

import com.mysql.cj.NativeSession;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
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
final class SharedPool implements Connections {
  private final DataSource pool;
  private final Permits attempts;
  private final Set<Connection> manual = ConcurrentHashMap.newKeySet();

  SharedPool(DataSource pool, int size, Duration timeout) {
    this.pool = pool;
    this.attempts = new Permits(Math.max(1, size - 1), timeout);
  }

  @Override
  public Connection take(boolean urgent) throws SQLException {
    if (urgent) {
      return prepared();
    }
    attempts.take();
    try {
      return prepared();
    } catch (SQLException | RuntimeException e) {
      attempts.giveBack();
      throw e;
    }
  }

  private Connection prepared() throws SQLException {
    Connection connection = pool.getConnection();
    try {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
        manual.add(connection);
      }
      if (lacksPackets(connection)) {
        session(connection).enableMultiQueries();
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
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
      if (lacksPackets(connection)) {
        session(connection).disableMultiQueries();
      }
      if (manually) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException | RuntimeException e) {
      // The pool finds out for itself that it is broken.
    } finally {
      try {
        connection.close();
      } catch (SQLException e) {
        // Nothing more can be done with it.
      }
      if (!urgent) {
        attempts.giveBack();
      }
    }
  }

  private void discard(Connection connection) throws SQLException {
    if (pool.isWrapperFor(HikariDataSource.class)) {
      pool.unwrap(HikariDataSource.class).evictConnection(connection);
    } else {
      connection.abort(Runnable::run);
    }
  }

  private static boolean lacksPackets(Connection connection) throws SQLException {
    return connection.isWrapperFor(JdbcConnection.class)
        && !connection
            .unwrap(JdbcConnection.class)
            .getPropertySet()
            .getBooleanProperty(PropertyKey.allowMultiQueries)
            .getValue();
  }

  private static NativeSession session(Connection connection) throws SQLException {
    return (NativeSession) connection.unwrap(JdbcConnection.class).getSession();
  }

  /** In a transaction it would see what was there when it began to listen, and nothing later. */
  @Override
  public Connection listener() throws SQLException {
    Connection connection = pool.getConnection();
    try {
      connection.setAutoCommit(true);
      if (lacksPackets(connection)) {
        session(connection).enableMultiQueries(); // for good: it is not given back
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Not for others any more: a late wake-up must not end their statements. */
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
