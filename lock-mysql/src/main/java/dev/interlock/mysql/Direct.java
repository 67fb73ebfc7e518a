package dev.interlock.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a connection leads straight to the server. A proxy gives sessions ids of its own and may
 * apply KILL to those, so it must not be sent one.
 */
final class Direct {
  private Direct() {}

  /**
   * Compares what the driver and what the server itself call the session.
   *
   * @param connection the connection
   * @param serverId the id by which the server knows the session that holds a user-level lock
   */
  static boolean isDirect(Connection connection, @Nullable Long serverId) throws SQLException {
    return serverId != null
        && connection.isWrapperFor(JdbcConnection.class)
        && connection.unwrap(JdbcConnection.class).getId() == serverId;
  }
}
