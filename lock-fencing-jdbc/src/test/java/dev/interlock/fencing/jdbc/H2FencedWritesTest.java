package dev.interlock.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.h2.engine.Constants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class H2FencedWritesTest extends FencedWritesContract {
  // Row locks are waited for as long as on the other databases, not for H2's two seconds.
  private static final String URL = "jdbc:h2:mem:" + ThreadLocalRandom.current().nextLong()
      + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";

  @Override
  Connection open() throws SQLException {
    return DriverManager.getConnection(URL);
  }

  @Override
  String version() {
    return "H2 " + Constants.VERSION;
  }

  @Override
  String lockUri() {
    return "local://";
  }

  /** What the other tests rely on: the look at the journal finds what it is there for. */
  @Tag("thorough")
  @ParameterizedTest
  @EnumSource(names = {"UNGUARDED", "CHECKED_BEFORE"})
  @Timeout(600)
  void staleWritesAreFound(BrokenForm form) throws Exception {
    PausedHolders.Result result =
        new PausedHolders(this::transactional, lockUri(), form, 2_000).run();
    assertThat(result.stale()).as("%s", result).isPositive();
  }

  @Tag("thorough")
  @Test
  @Timeout(600)
  void refusalsWithinTheLeaseAreFound() throws Exception {
    PausedHolders.Result result =
        new PausedHolders(this::transactional, lockUri(), BrokenForm.ONCE_A_LEASE, 100).run();
    assertThat(result.refusedWithin()).as("%s", result).isPositive();
  }

  private Connection transactional() throws SQLException {
    Connection connection = open();
    connection.setAutoCommit(false);
    return connection;
  }
}
