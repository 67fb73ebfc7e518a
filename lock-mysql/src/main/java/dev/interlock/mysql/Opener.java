package dev.interlock.mysql;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server of several, and knows whether the server could be reached the
 * last time, so that nobody waits for what cannot be opened. Thread-safe.
 *
 * <p>A pool that cannot open a connection tries again after pauses of up to 5 s, so its callers
 * would be without the server long after it has come back. Here its thread is kept until the server
 * answers, with a pause of {@value #PAUSE_MILLIS} ms.
 */
final class Opener implements DataSource {
  private static final long PAUSE_MILLIS = 100;

  private final Servers servers;
  private volatile int loginTimeout = 1;
  private volatile boolean persistent;
  private volatile @Nullable Outage outage;

  Opener(Servers servers) {
    this.servers = servers;
  }

  /** Opens a connection, or fails at the first try. */
  Connection open() throws SQLException {
    try {
      Connection connection = servers.connect();
      outage = null;
      return connection;
    } catch (SQLException e) {
      outage = Faults.isUnreachable(e) ? Outage.after(outage, e) : null;
      throw e;
    }
  }

  /** What kept the last connection from being opened; null if the server answered, if only no. */
  @Nullable
  Outage outage() {
    return outage;
  }

  /**
   * The server cannot be reached.
   *
   * @param since {@link System#nanoTime()} of the first failure after the last success
   * @param reason the last failure
   */
  record Outage(long since, SQLException reason) {
    private static final long LONG_NANOS = 1_000_000_000;

    private static Outage after(@Nullable Outage before, SQLException reason) {
      return new Outage(before == null ? System.nanoTime() : before.since, reason);
    }

    /** Whether it is more than one connection that was refused or lost on its way. */
    boolean isLong() {
      return System.nanoTime() - since > LONG_NANOS;
    }
  }

  /** Whether pools are to wait for the server: not while the client opens, nor when it closes. */
  void setPersistent(boolean value) {
    persistent = value;
  }

  /** For pools, on a thread of theirs. */
  @Override
  public Connection getConnection() throws SQLException {
    while (true) {
      try {
        return open();
      } catch (SQLException e) {
        if (!Faults.isUnreachable(e) || !persistent) {
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

  /** For how long a pool that closes waits for its thread; the driver has an option of its own. */
  @Override
  public void setLoginTimeout(int seconds) {
    loginTimeout = seconds;
  }

  @Override
  public int getLoginTimeout() {
    return loginTimeout;
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
