package dev.interlock.postgres;

import dev.interlock.contract.EndedSessionsContract;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class EndedSessionsTest extends EndedSessionsContract {
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
      statement.execute("SELECT " + (session ? "PG_TERMINATE_BACKEND" : "PG_CANCEL_BACKEND")
          + "(pid) FROM pg_stat_activity WHERE application_name LIKE 'interlock-%'"
          + (session ? "" : " AND state = 'active'") + " ORDER BY RANDOM() LIMIT 1");
    }
  }
}
