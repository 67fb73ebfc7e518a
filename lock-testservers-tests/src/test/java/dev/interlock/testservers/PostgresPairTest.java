package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PostgresPairTest {
  /** Of a commit that waits for ever. */
  private static final int PATIENCE_MILLIS = 5_000;

  private static final String ROWS = "SELECT STRING_AGG(id::TEXT, ',' ORDER BY id) FROM kept";

  @Test
  void a_standby_that_is_promoted_has_what_was_replicated_and_nothing_of_later() {
    try (DatabasePair pair = pair()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.primary().execute("INSERT INTO kept VALUES (1)");
      pair.awaitReplicated();
      assertThat(pair.standby().execute(ROWS)).isEqualTo("1");
      assertThatThrownBy(() -> pair.standby().execute("INSERT INTO kept VALUES (2)"))
          .hasMessageContaining("read-only");

      pair.cutOff();
      pair.primary().execute("INSERT INTO kept VALUES (3)");
      pair.primary().kill();
      pair.promote();

      pair.standby().execute("INSERT INTO kept VALUES (4)");
      assertThat(pair.standby().execute(ROWS)).isEqualTo("1,4");
    }
  }

  @Test
  void a_commit_waits_for_a_standby_that_is_cut_off_if_it_is_to_be_synchronous() throws Exception {
    try (DatabasePair pair = pair();
        Connection client = DriverManager.getConnection(
            pair.primary().jdbcUrl(), pair.primary().user(), pair.primary().password());
        Statement statement = client.createStatement()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.synchronous(true);
      pair.cutOff();
      client.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS);

      assertThatThrownBy(() -> statement.execute("INSERT INTO kept VALUES (1)"))
          .hasMessageContaining("I/O error");

      pair.synchronous(false);
      pair.primary().execute("INSERT INTO kept VALUES (2)");
      Readiness.await(
          "the first one is committed as well",
          () -> pair.primary().execute(ROWS).equals("1,2"),
          () -> pair.primary().execute(ROWS));
    }
  }

  private static DatabasePair pair() {
    try {
      return TestPostgres.pair();
    } catch (NoTestServerException e) {
      return abort(e.getMessage());
    }
  }
}
