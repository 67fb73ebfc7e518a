package dev.interlock.sql.support;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the server that serves, and knows whether the server could be reached the
 * last time, so that nobody waits for what cannot be opened. Thread-safe.
 *
 * <p>A pool that cannot open a connection tries again after pauses of up to 5 s, so its callers
 * would be without the server long after it has come back. Here its thread is kept until the server
 * answers, with a pause of {@value #PAUSE_MILLIS} ms.
 */
public final class Opener implements DataSource {
  private static final long PAUSE_MILLIS = 100;

  private final Servers servers;
  private volatile boolean persistent;
  private volatile @Nullable SQLException outage;

  /**
   * Opens none yet.
   *
   * @param servers what to connect to
   */
  public Opener(Servers servers) {
    this.servers = servers;
  }

  /**
   * Opens a connection, or fails once each server was tried.
   *
   * @return an open connection
   * @throws SQLException what the server or the driver says
   */
  public Connection open() throws SQLException {
    try {
      Connection connection = servers.connect();
      outage = null;
      return connection;
    } catch (SQLException e) {
      outage = servers.isUnreachable(e) ? e : null;
      throw e;
    }
  }

  /** What kept the last connection from being opened; null if the server answered. */
  @Nullable
  SQLException outage() {
    return outage;
  }

  /**
   * Tells whether pools are to wait for the server: not while the client opens, nor when it closes.
   *
   * @param value whether they wait
   */
  public void setPersistent(boolean value) {
    persistent = value;
  }

  /** For pools, on a thread of theirs. */
  @Override
  public Connection getConnection() throws SQLException {
    while (true) {
      try {
        return open();
      } catch (SQLException e) {
        if (!servers.isUnreachable(e) || !persistent) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private static void pause(SQLException reason) throws SQLException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reason;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is in the URI");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  /** For how long a pool that closes waits for its thread; the driver has an option of its own. */
  @Override
  public int getLoginTimeout() {
    return 1;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
