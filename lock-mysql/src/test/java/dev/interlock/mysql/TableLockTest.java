package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody keeps a whole table locked, as a backup may. */
@Timeout(60)
class TableLockTest {
  private static final String OWN = "locked_";

  private final MysqlServer server = Server.shared();
  private Connection backup;

  @BeforeEach
  void open() throws SQLException {
    backup = new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    backup.close();
    server.execute("DROP TABLE IF EXISTS " + OWN + "lock, " + OWN + "entry, " + OWN + "counter");
  }

  /** A session that waits does not notice that its client is gone, and each repetition adds one. */
  @Test
  void e3_aCallThatFailsLeavesNoSessionThatWaitsForTheTable() throws SQLException {
    try (TestClient client = Server.client(Server.uri() + "&tablePrefix=" + OWN);
        Statement statement = backup.createStatement()) {
      client.attempt("a", client.id(), Duration.ZERO);
      statement.execute("LOCK TABLES " + OWN + "lock READ");
      Throwable failure = catchThrowable(() -> client.attempt("b", client.id(), Duration.ZERO));
      assertThat(waiting()).isEqualTo("0");
      assertThat(failure)
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("1205");
      statement.execute("UNLOCK TABLES");
      assertThat(client.attempt("b", client.id(), Duration.ZERO)).isInstanceOf(Grant.class);
    }
  }

  /** Else who renews would wait once more for each of them, and for all behind them. */
  @Test
  void n8_waitersAreRenewedInVainOnceAndOnceMoreHoweverManyThereAre() throws SQLException {
    try (TestClient client = Server.client(Server.uri() + "&tablePrefix=" + OWN);
        Statement statement = backup.createStatement()) {
      client.attempt("a", client.id(), Duration.ZERO);
      List<Renewal> waiters = IntStream.range(0, 4)
          .mapToObj(i -> Renewal.of("a", client.id(), TestClient.LEASE, true))
          .toList();
      waiters.forEach(waiter -> client.attempt("a", waiter.id(), Duration.ofMinutes(1)));
      statement.execute("LOCK TABLES " + OWN + "entry READ");
      long start = System.nanoTime();
      List<RenewalResult> results = new ArrayList<>();
      client.backend.renew(waiters, (waiter, result) -> results.add(result));
      assertThat(results).hasSize(4).allMatch(RenewalResult.Failed.class::isInstance);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  private String waiting() {
    return server
        .execute("SELECT COUNT(*) FROM information_schema.processlist"
            + " WHERE state LIKE 'Waiting for table%' AND info LIKE '%" + OWN + "%'")
        .strip();
  }
}
