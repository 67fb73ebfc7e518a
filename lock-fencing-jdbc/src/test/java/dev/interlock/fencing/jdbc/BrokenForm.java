package dev.interlock.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Mistakes that an application, or this library, could make. */
enum BrokenForm implements FencedForm {
  /** The token is written, and not compared. */
  UNGUARDED {
    @Override
    public void write(Connection connection, Write write) throws SQLException {
      FencedWrites.requireWritten(
          write.countWith(connection, "token = ?", "? > 0"), write.name(), write.token());
      write.pause();
    }
  },

  /** The token is compared in one transaction, and the write is another one. */
  CHECKED_BEFORE {
    @Override
    public void write(Connection connection, Write write) throws SQLException {
      FencedWrites.requireWritten(write.check(connection), write.name(), write.token());
      connection.commit();
      write.pause();
      write.count(connection);
    }
  },

  /** A holder cannot write twice. */
  ONCE_A_LEASE {
    @Override
    public void write(Connection connection, Write write) throws SQLException {
      FencedWrites.requireWritten(
          write.countWith(connection, "token = ?", "token < ?"), write.name(), write.token());
    }
  }
}
