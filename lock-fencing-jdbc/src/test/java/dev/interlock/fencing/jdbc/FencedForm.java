package dev.interlock.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * How a write is fenced. Its row in the table {@code data} counts the writes in {@code version}.
 */
interface FencedForm {
  /** Fenced by {@link FencedWrites#requireWritten}. */
  FencedForm COLUMN = new FencedForm() {
    @Override
    public void write(Connection connection, Write write) throws SQLException {
      int rows = write.countWith(connection, "token = ?", "token <= ?");
      FencedWrites.requireWritten(rows, write.name(), write.token());
      write.pause();
    }

    @Override
    public String toString() {
      return "guard column";
    }
  };

  /** Fenced by {@link FencedWrites#guard}. */
  static FencedForm row(FencedWrites fence) {
    return new FencedForm() {
      @Override
      public void write(Connection connection, Write write) throws SQLException {
        fence.guard(connection, write.name(), write.token());
        write.pause();
        write.count(connection);
      }

      @Override
      public String toString() {
        return "guard row";
      }
    };
  }

  /**
   * Writes within the transaction, and is paused between the check and the commit, if at all.
   *
   * @throws StaleTokenException if it is refused
   */
  void write(Connection connection, Write write) throws SQLException;
}
