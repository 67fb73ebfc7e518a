package dev.interlock.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** One write to a resource: what the holder of its lock does under a token. */
record Write(String data, long resource, String name, long token, Runnable pausing) {

  void pause() {
    pausing.run();
  }

  /** Counts this write, whoever has written before. */
  int count(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE " + data + " SET version = version + 1 WHERE id = ?")) {
      update.setLong(1, resource);
      return update.executeUpdate();
    }
  }

  /** Compares the token, and writes nothing else. */
  int check(Connection connection) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(
        "UPDATE " + data + " SET token = ? WHERE id = ? AND token <= ?")) {
      return execute(update);
    }
  }

  /** Counts this write in a statement that has the token twice. */
  int countWith(Connection connection, String assignment, String condition) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement("UPDATE " + data
        + " SET version = version + 1, " + assignment + " WHERE id = ? AND " + condition)) {
      return execute(update);
    }
  }

  private int execute(PreparedStatement update) throws SQLException {
    update.setLong(1, token);
    update.setLong(2, resource);
    update.setLong(3, token);
    return update.executeUpdate();
  }
}
