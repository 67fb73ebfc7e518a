package dev.interlock.mysql.internal.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * For how long this client has known the connections that it uses. A connection ends with its
 * server, so one that is known for a while proves that others could have come back by now, too.
 * Thread-safe.
 */
public final class ConnectionAges {
  private final Map<JdbcConnection, Long> since = Collections.synchronizedMap(new WeakHashMap<>());

  /**
   * Tells for how long, in microseconds; 0 if this is its first use, or if it is not a connection
   * of Connector/J. A pool's wrapper is looked through.
   */
  public long micros(Connection connection) {
    long now = System.nanoTime();
    try {
      if (!connection.isWrapperFor(JdbcConnection.class)) {
        return 0;
      }
      // With several hosts it stays while what is behind it changes.
      JdbcConnection server = connection.unwrap(JdbcConnection.class).getActiveMySQLConnection();
      return TimeUnit.NANOSECONDS.toMicros(now - since.computeIfAbsent(server, first -> now));
    } catch (SQLException e) {
      return 0; // closed, as the next statement on it will say
    }
  }
}
