package dev.interlock.sql.support;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from. Thread-safe; waits for connections. */
public interface Connections {

  /**
   * Takes a connection in autocommit mode.
   *
   * @param urgent whether it is for what frees or keeps locks, and so must not queue behind
   *     attempts
   * @return a connection for {@link #giveBack}
   * @throws SQLException if none is to be had in time
   */
  Connection take(boolean urgent) throws SQLException;

  /**
   * Gives a connection back.
   *
   * @param connection what {@link #take} answered
   * @param urgent what it was taken for
   * @param healthy false if it is not to be used again
   */
  void giveBack(Connection connection, boolean urgent, boolean healthy);

  /**
   * Opens or takes a connection to listen on, for a long time.
   *
   * @return a connection for {@link #endListener}
   * @throws SQLException if none is to be had
   */
  Connection listener() throws SQLException;

  /**
   * Ends the connection that was listened on: what it still might hear of must not reach others.
   *
   * @param connection what {@link #listener} answered
   * @throws SQLException if it could not be closed
   */
  void endListener(Connection connection) throws SQLException;

  /** Closes what was opened here. */
  void close();

  /**
   * Ends a connection at once, also while a thread waits on it.
   *
   * @param connection any
   */
  static void cut(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is cut already.
    }
  }
}
