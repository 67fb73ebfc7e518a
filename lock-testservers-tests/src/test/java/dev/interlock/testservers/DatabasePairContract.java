package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.interlock.testservers.internal.control.Readiness;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a standby has, and when a commit waits for it. */
@Timeout(300)
abstract class DatabasePairContract {
  /** Of a commit that waits for ever. */
  private static final int PATIENCE_MILLIS = 5_000;

  private final Supplier<DatabasePair> start;
  private final String rows;
  private final String takesNoWrites;

  /**
   * Starts none yet.
   *
   * @param rows asks for the numbers in the table {@code kept}, with commas
   * @param takesNoWrites a condition that holds on a server that is read-only
   */
  DatabasePairContract(Supplier<DatabasePair> start, String rows, String takesNoWrites) {
    this.start = start;
    this.rows = rows;
    this.takesNoWrites = takesNoWrites;
  }

  @Test
  void a_standby_that_is_promoted_has_what_was_replicated_and_nothing_of_later() {
    try (DatabasePair pair = pair()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.primary().execute("INSERT INTO kept VALUES (1)");
      pair.awaitReplicated();
      assertThat(pair.standby().execute(rows)).isEqualTo("1");
      assertThat(takesNoWrites(pair.standby())).isTrue();
      assertThat(takesNoWrites(pair.primary())).isFalse();

      pair.cutOff();
      pair.primary().execute("INSERT INTO kept VALUES (3)");
      pair.primary().kill();
      pair.promote();

      assertThat(takesNoWrites(pair.standby())).isFalse();
      pair.standby().execute("INSERT INTO kept VALUES (4)");
      assertThat(pair.standby().execute(rows)).isEqualTo("1,4");
    }
  }

  @Test
  void a_commit_waits_for_a_standby_that_is_cut_off_if_it_is_to_confirm() throws Exception {
    try (DatabasePair pair = pair();
        Connection client = DriverManager.getConnection(
            pair.primary().jdbcUrl(), pair.primary().user(), pair.primary().password());
        Statement statement = client.createStatement()) {
      pair.primary().execute("CREATE TABLE kept (id INT PRIMARY KEY)");
      pair.synchronous(true);
      pair.cutOff();
      client.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS);

      assertThatThrownBy(() -> statement.execute("INSERT INTO kept VALUES (1)"))
          .as("no answer")
          .hasRootCauseInstanceOf(SocketTimeoutException.class);

      pair.synchronous(false);
      pair.primary().execute("INSERT INTO kept VALUES (2)");
      Readiness.await(
          "the first one is committed as well",
          () -> pair.primary().execute(rows).equals("1,2"),
          () -> pair.primary().execute(rows));
    }
  }

  private boolean takesNoWrites(DatabaseServer server) {
    return server
        .execute("SELECT CASE WHEN " + takesNoWrites + " THEN 1 ELSE 0 END")
        .equals("1");
  }

  private DatabasePair pair() {
    try {
      return start.get();
    } catch (NoTestServerException e) {
      return abort(e.getMessage());
    }
  }
}
