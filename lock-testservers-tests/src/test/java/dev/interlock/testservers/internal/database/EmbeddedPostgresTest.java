package dev.interlock.testservers.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.PostgresServerBuilder;
import dev.interlock.testservers.PostgresSource;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.ServerRun;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(120)
class EmbeddedPostgresTest {

  @Test
  void keepsPortAndDataThroughKillPauseAndRestart() {
    try (PostgresServer server = embedded().start()) {
      assertThat(server.isControllable()).isTrue();
      assertThat(server.version()).startsWith("PostgreSQL 18.");
      server.execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      server.execute("INSERT INTO kept VALUES (7)");

      server.kill();
      assertThatThrownBy(() -> server.execute("SELECT 1")).isInstanceOf(TestServerException.class);
      server.start();
      assertThat(server.execute("SELECT id FROM kept")).isEqualTo("7");

      server.pause();
      server.resume();
      server.restart();
      assertThat(server.execute("SELECT id FROM kept")).isEqualTo("7");
      assertThat(server.toString()).doesNotContain(server.uri());
    }
  }

  /** Each connection has a process of its own, and signals to the first one do not reach them. */
  @Test
  void aPauseHoldsTheSessionsThatThereAreAsWell() throws Exception {
    try (PostgresServer server = embedded().start();
        Connection open = DriverManager.getConnection(
            server.jdbcUrl() + "?socketTimeout=1", server.user(), server.password());
        Statement statement = open.createStatement()) {
      statement.execute("SELECT 1");
      server.pause();
      assertThatThrownBy(() -> statement.execute("SELECT 2")).hasMessageContaining("I/O error");
      server.resume();
      assertThat(server.execute("SELECT 3")).isEqualTo("3");
    }
  }

  @Test
  void closeOfAPausedServerLeavesNothingBehind() throws Exception {
    PostgresServer server = embedded().start();
    try (Connection open =
            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
        Statement statement = open.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT PG_BACKEND_PID(), CURRENT_SETTING('data_directory')")) {
      row.next();
      long session = row.getLong(1);
      Path data = Path.of(row.getString(2));
      server.pause();
      assertThat(ServerRun.hasEnded(session)).isFalse();

      server.close();

      assertThat(data.getParent()).doesNotExist();
      assertThat(ServerRun.hasEnded(session)).isTrue();
    }
  }

  @Test
  void commitsAreDurable() {
    try (PostgresServer server = embedded().owned().start()) {
      assertThat(server.execute("SHOW fsync")).isEqualTo("on");
      assertThat(server.execute("SHOW synchronous_commit")).isEqualTo("on");
    }
  }

  @Test
  void anOptionReachesTheServer() {
    try (PostgresServer server = embedded().option("max_connections", "23").start()) {
      assertThat(server.execute("SHOW max_connections")).isEqualTo("23");
    }
  }

  private static PostgresServerBuilder embedded() {
    return TestPostgres.builder().from(PostgresSource.EMBEDDED);
  }
}
