package dev.interlock.testservers.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.MysqlSource;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestServerException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(120)
class EmbeddedMariaDbTest {

  @Test
  void keepsPortAndDataThroughKillPauseAndRestart() {
    try (MysqlServer server = TestMysql.builder().from(MysqlSource.EMBEDDED).start()) {
      assertThat(server.isControllable()).isTrue();
      assertThat(server.version()).startsWith("MariaDB 11.4");
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

  /**
   * Seen in a comparison: rules failed with "too many connections" at the servers' default of 151.
   */
  @Test
  void thereIsRoomForTheClientsOfSeveralRules() {
    try (MysqlServer server =
        TestMysql.builder().from(MysqlSource.EMBEDDED).owned().start()) {
      assertThat(Integer.parseInt(server.execute("SELECT @@max_connections")))
          .isGreaterThanOrEqualTo(500);
    }
  }

  /**
   * Seen in tests side by side: a server that started removed the temporary tables of another one,
   * which crashed.
   */
  @Test
  void temporaryTablesAreOutOfReachOfOtherServers() {
    try (MysqlServer one =
            TestMysql.builder().from(MysqlSource.EMBEDDED).owned().start();
        MysqlServer other =
            TestMysql.builder().from(MysqlSource.EMBEDDED).owned().start()) {
      String query = "SELECT @@tmpdir";
      assertThat(one.execute(query)).isNotEqualTo(other.execute(query));
    }
  }

  @Test
  void anOptionReachesTheServer() {
    try (MysqlServer server = TestMysql.builder()
        .from(MysqlSource.EMBEDDED)
        .option("max-connections", "23")
        .start()) {
      assertThat(server.execute("SELECT @@max_connections")).isEqualTo("23");
    }
  }
}
