package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;

/** Somebody keeps the rows of waiters locked. */
@Timeout(60)
class LockedEntryTest {
  private final MysqlServer server = Server.shared();
  private final String uri = Server.uri();

  @Undisturbed(millis = 300)
  void n8_theyFailAloneAndAreWaitedForOnceBeforeAllElseOfTheBatch() throws SQLException {
    try (TestClient one = Server.client(uri);
        TestClient two = Server.client(uri);
        Connection keeper =
            new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
        Statement statement = keeper.createStatement()) {
      HoldId hold = two.id();
      HoldId free = two.id();
      HoldId waiter = two.id();
      HoldId another = two.id();
      two.attempt("held", hold, Duration.ZERO);
      one.attempt("free", one.id(), Duration.ZERO);
      two.attempt("free", free, Duration.ofMinutes(1));
      one.attempt("kept", one.id(), Duration.ZERO);
      two.attempt("kept", waiter, Duration.ofMinutes(1));
      one.attempt("kept too", one.id(), Duration.ZERO);
      two.attempt("kept too", another, Duration.ofMinutes(1));
      String kept = "client = " + waiter.high() + " AND hold IN (" + waiter.low() + ", "
          + another.low() + ")";
      // As old as those that are to be written.
      server.execute("UPDATE interlock_entry SET until_us = until_us - 5000000 WHERE " + kept);
      keeper.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM interlock_entry WHERE " + kept + " FOR UPDATE");

      Map<String, String> answers = new HashMap<>();
      List<Duration> times = new ArrayList<>();
      long start = System.nanoTime();
      two.backend.renew(
          List.of(
              Renewal.of("kept", waiter, TestClient.LEASE, true),
              Renewal.of("kept too", another, TestClient.LEASE, true),
              Renewal.of("free", free, TestClient.LEASE, true),
              Renewal.of("held", hold, TestClient.LEASE, false)),
          (renewal, result) -> {
            answers.put(renewal.name(), result.getClass().getSimpleName());
            times.add(Duration.ofNanos(System.nanoTime() - start));
          });
      assertThat(answers)
          .isEqualTo(
              Map.of("kept", "Failed", "kept too", "Failed", "free", "Queued", "held", "Grant"));
      // The server may take 3 to 4 s for a wait, and so more than 6 s for two.
      assertThat(Collections.max(times)).isLessThan(Duration.ofMillis(5_800));
    }
  }
}
