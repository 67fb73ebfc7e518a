package example.h2;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Judges the backend by the rules of SPEC.md, in this JVM and in others that the kit forks. */
class H2LockTckTest extends LockTck {
  private static Server server;

  @BeforeAll
  static void start() throws SQLException {
    server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
  }

  @AfterAll
  static void stop() {
    server.stop();
  }

  @Override
  protected TckBackend backend() {
    return TckBackend.at("h2://localhost:" + server.getPort())
        .countWith(H2LockTckTest::rows);
  }

  /** Counts what the server keeps, past the provider, for the rule that nothing grows. */
  private static long rows() {
    String url = "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:interlock";
    try (Connection connection = DriverManager.getConnection(url, "sa", "");
        ResultSet rows = connection.createStatement().executeQuery("SELECT COUNT(*) FROM LOCKS")) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
