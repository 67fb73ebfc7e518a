package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class MysqlPairTest {
  private static final String ROWS = "SELECT GROUP_CONCAT(id ORDER BY id) FROM kept";

  @Test
  void a_replica_that_is_promoted_has_what_was_replicated_and_nothing_of_later() {
    try (DatabasePair pair = TestMysql.pair()) {
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
    try (DatabasePair pair = TestMysql.pair();
        Connection client = DriverManager.getConnection(
            pair.primary().jdbcUrl() + "?socketTimeout=1000",
            pair.primary().user(),
            pair.primary().password());
        Statement statement = client.createStatement()) {
      pair.synchronous(true);
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.cutOff();

      assertThatThrownBy(() -> statement.execute("INSERT INTO kept VALUES (1)"))
          .hasMessageContaining("Communications link failure");

      pair.synchronous(false);
      pair.primary().execute("INSERT INTO kept VALUES (2)");
      assertThat(pair.primary().execute(ROWS)).isEqualTo("1,2");
    }
  }
}
