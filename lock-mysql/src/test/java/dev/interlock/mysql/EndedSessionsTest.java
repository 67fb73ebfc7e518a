package dev.interlock.mysql;

import dev.interlock.contract.EndedSessionsContract;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class EndedSessionsTest extends EndedSessionsContract {
  private static final int NO_SUCH_SESSION = 1094;

  private final String uri = Server.uri();
  private Connection operator;

  /** One for the whole test: with one for each end there would be a twentieth as many of them. */
  @BeforeEach
  void connect() throws SQLException {
    operator = DriverManager.getConnection(
        Server.shared().jdbcUrl(), Server.shared().user(), Server.shared().password());
  }

  @AfterEach
  void close() throws SQLException {
    operator.close();
  }

  @Override
  protected String uri() {
    return uri;
  }

  @Override
  protected void endOne(boolean session) throws SQLException {
    try (Statement statement = operator.createStatement()) {
      Long found = null;
      try (ResultSet row = statement.executeQuery("SELECT id FROM information_schema.processlist"
          + " WHERE db = DATABASE() AND id <> CONNECTION_ID()"
          + (session ? "" : " AND command <> 'Sleep' AND COALESCE(state, '') NOT LIKE 'User %'")
          + " ORDER BY RAND() LIMIT 1")) {
        if (row.next()) {
          found = row.getLong(1);
        }
      }
      if (found != null) {
        statement.execute((session ? "KILL " : "KILL QUERY ") + found);
      }
    } catch (SQLException e) {
      if (e.getErrorCode() != NO_SUCH_SESSION) {
        throw e;
      }
    }
  }
}
