package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A row that somebody has locked at any moment, and nobody for long. */
@Timeout(60)
class BusyRowsTest {
  private static final int TURN_MILLIS = 10;
  private static final int PERMITS = 8;

  private final MysqlServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final String uri = server.uri() + "?schema=create&namespace=" + namespace;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final List<FutureTask<Void>> busy = new ArrayList<>();
  private TestClient one;
  private TestClient two;
  private Connection keeper;

  @BeforeEach
  void open() throws SQLException {
    one = Server.client(uri);
    two = Server.client(uri);
    keeper = connection();
  }

  @AfterEach
  void close() throws Exception {
    isOver.set(true);
    for (FutureTask<Void> task : busy) {
      task.get(10, TimeUnit.SECONDS);
    }
    keeper.close();
    one.close();
    two.close();
  }

  private Connection connection() throws SQLException {
    Connection connection =
        new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void n8_aRowThatOthersTakeTurnsWithComesBeforeThoseThatAreKeptLocked() throws Exception {
    one.attemptAs("saga", "busy", one.id(), Duration.ZERO);
    HoldId share = two.id();
    two.attemptAs("saga", "busy", share, Duration.ZERO);
    for (int i = 0; i < 2; i++) {
      start(this::takeTurns);
    }
    assertIsRenewedFirst(share);
  }

  /** One of them always has a transaction of this client under way. */
  @Test
  void n8_aLockThatItsClientIsBusyWithComesBeforeRowsThatAreKeptLocked() throws Exception {
    HoldId permit = two.id();
    assertThat(two.backend.attempt(permit(permit))).isInstanceOf(Grant.class);
    for (int i = 0; i < 2; i++) {
      start(() -> {
        while (!isOver.get()) {
          HoldId id = two.id();
          two.backend.attempt(permit(id));
          two.release("busy", id);
        }
        return null;
      });
    }
    assertIsRenewedFirst(permit);
  }

  private void assertIsRenewedFirst(HoldId share) throws SQLException {
    HoldId hold = two.id();
    two.attempt("x", hold, Duration.ZERO);
    RowLockTest.lockRow(keeper, namespace, "x");
    List<String> answered = new ArrayList<>();
    two.backend.renew(
        List.of(
            Renewal.of("busy", share, TestClient.LEASE, false),
            Renewal.of("x", hold, TestClient.LEASE, false)),
        (renewal, result) ->
            answered.add(renewal.name() + " " + result.getClass().getSimpleName()));
    assertThat(answered).containsExactly("busy Grant", "x Failed");
  }

  private static Attempt permit(HoldId id) {
    return Attempt.of("busy", id, "owner", TestClient.LEASE).withFair(true).withUnits(1, PERMITS);
  }

  private void start(Callable<Void> work) {
    FutureTask<Void> task = new FutureTask<>(work);
    busy.add(task);
    new Thread(task).start();
  }

  /** The other one stands in line by the time this one gives the row up. */
  private Void takeTurns() throws Exception {
    try (Connection connection = connection()) {
      while (!isOver.get()) {
        RowLockTest.lockRow(connection, namespace, "busy");
        TimeUnit.MILLISECONDS.sleep(TURN_MILLIS);
        connection.rollback();
      }
    }
    return null;
  }
}
