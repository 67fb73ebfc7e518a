package dev.interlock.mysql;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from. Thread-safe. */
interface Connections {

  /**
   * Takes a connection in autocommit mode that allows several statements in one packet.
   *
   * @param urgent whether it is for a release or a renewal, which have connections of their own
   */
  Connection take(boolean urgent) throws SQLException;

  /** Gives it back; one that is not healthy is not used again. */
  void giveBack(Connection connection, boolean urgent, boolean healthy);

  /** Opens or takes a connection to listen on, for a long time. */
  Connection listener() throws SQLException;

  /** Ends the connection that was listened on. */
  void endListener(Connection connection) throws SQLException;

  /** Closes what was opened here. */
  void close();
}
