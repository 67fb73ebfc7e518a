package dev.interlock.mysql.internal.connection;

import com.mysql.cj.NativeSession;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.jdbc.JdbcConnection;
import dev.interlock.sql.support.SharedPool;
import java.sql.Connection;
import java.sql.SQLException;

/** Lets an application's connections take several statements in one packet. Thread-safe. */
public final class Packets implements SharedPool.Outfit {

  @Override
  public void putOn(Connection connection) throws SQLException {
    if (areOff(connection)) {
      session(connection).enableMultiQueries();
    }
  }

  @Override
  public void takeOff(Connection connection) throws SQLException {
    if (areOff(connection)) {
      session(connection).disableMultiQueries();
    }
  }

  private static boolean areOff(Connection connection) throws SQLException {
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
}
