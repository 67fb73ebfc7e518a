package dev.interlock.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds on every database. */
@Timeout(60)
abstract class FencedWritesContract {
  private final String suffix = Long.toHexString(ThreadLocalRandom.current().nextLong() >>> 1);
  private final String data = "data_" + suffix;
  private final FencedWrites fence = FencedWrites.inTable("fence_" + suffix);

  /** Opens a further connection. */
  abstract Connection open() throws SQLException;

  /** Product and version of the database. */
  abstract String version();

  /** Where the locks of the holders are: on this database, if it has locks. */
  abstract String lockUri();

  @BeforeEach
  void createTables() throws SQLException {
    execute(fence.ddl());
    execute("CREATE TABLE " + data + " (id BIGINT NOT NULL PRIMARY KEY, token BIGINT NOT NULL)");
    execute("INSERT INTO " + data + " VALUES (1, 0)");
  }

  @AfterEach
  void dropTables() throws SQLException {
    execute("DROP TABLE " + data);
    execute("DROP TABLE fence_" + suffix);
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
      connection.commit();
    }
  }

  private Connection connection() throws SQLException {
    Connection connection = open();
    connection.setAutoCommit(false);
    return connection;
  }

  /** Answers whether it was let through; the transaction is over in both cases. */
  private boolean write(FencedWrites by, Connection connection, String name, long token)
      throws SQLException {
    try {
      by.guard(connection, name, token);
      connection.commit();
      return true;
    } catch (StaleTokenException e) {
      connection.rollback();
      return false;
    }
  }

  @Test
  void aStaleHolderIsRefusedAndTheSameOneMayWriteAgain() throws SQLException {
    FencedWrites elsewhere = FencedWrites.inTable("fence_" + suffix);
    try (Connection connection = connection()) {
      assertThat(write(fence, connection, "a", 7)).isTrue();
      assertThat(write(fence, connection, "a", 7)).isTrue();
      assertThat(write(elsewhere, connection, "a", 7)).isTrue();
      assertThat(write(fence, connection, "a", 6)).isFalse();
      assertThat(write(elsewhere, connection, "a", 9)).isTrue();
      assertThat(write(fence, connection, "a", 8)).isFalse();
      assertThat(write(FencedWrites.inTable("fence_" + suffix), connection, "a", 8))
          .isFalse();
      assertThat(write(fence, connection, "b", 1)).as("another name").isTrue();
    }
  }

  @Test
  void namesThatACollationTakesForOneAreTwo() throws SQLException {
    String longName = "n".repeat(2_000);
    try (Connection connection = connection()) {
      int token = 100;
      for (String name :
          List.of("a", "A", "a ", "\u00e4", "\ud83d\ude00", longName, longName + "x")) {
        assertThat(write(fence, connection, name, token--)).as(name).isTrue();
      }
    }
  }

  @Test
  void theRefusalTellsWhatItIsAbout() throws SQLException {
    try (Connection connection = connection()) {
      assertThat(write(fence, connection, "stock", 2)).isTrue();
      assertThatExceptionOfType(StaleTokenException.class)
          .isThrownBy(() -> fence.guard(connection, "stock", 1))
          .withMessageContaining("'stock'")
          .withMessageContaining("token 1")
          .satisfies(stale -> {
            assertThat(stale.name()).isEqualTo("stock");
            assertThat(stale.fencingToken()).isEqualTo(1);
          });
    }
  }

  @Test
  void nothingIsLeftOfWhatWasRolledBack() throws SQLException {
    try (Connection connection = connection()) {
      fence.guard(connection, "a", 9);
      connection.rollback();
      assertThat(write(fence, connection, "a", 5)).isTrue();
      fence.guard(connection, "a", 9);
      connection.rollback();
      assertThat(write(fence, connection, "a", 6)).isTrue();
    }
  }

  @Test
  void aWriteWithoutATransactionIsRefused() throws SQLException {
    try (Connection connection = connection()) {
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> fence.guard(connection, "a", 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
    }
  }

  @Test
  void aLeaseGivesNameAndToken() throws Exception {
    try (LockClient client = Locks.open("local://");
        Connection connection = connection()) {
      Lease first = client.acquire(LockRequest.of("a"));
      fence.guard(connection, first);
      connection.commit();
      first.release();
      Lease second = client.acquire(LockRequest.of("a"));
      fence.guard(connection, second);
      connection.commit();
      assertThatThrownBy(() -> fence.guard(connection, first))
          .isInstanceOf(StaleTokenException.class);
      connection.rollback();
      second.release();
    }
  }

  @Test
  void manyNewNamesAtOnceMeetNoDeadlock() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int number = thread;
        all.add(threads.submit(() -> {
          try (Connection connection = connection()) {
            for (int i = 0; i < 50; i++) {
              assertThat(write(fence, connection, number + ":" + i, 1)).isTrue();
            }
          }
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Whoever looks for rows that are not there may keep others from adding theirs (MySQL). */
  @Test
  void newNamesMeetNoDeadlockAfterTheirFirstWritesWereRolledBack() throws Exception {
    List<String> names = List.of("a", "b");
    try (Connection connection = connection()) {
      for (String name : names) {
        fence.guard(connection, name, 1);
        connection.rollback();
      }
    }
    CyclicBarrier together = new CyclicBarrier(names.size());
    ExecutorService threads = Executors.newFixedThreadPool(names.size());
    try {
      List<Future<Boolean>> all = new ArrayList<>();
      for (String name : names) {
        all.add(threads.submit(() -> {
          try (Connection connection = connection()) {
            return write(
                fence, adding(connection, () -> together.await(20, TimeUnit.SECONDS)), name, 1);
          }
        }));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Something to do before rows are added. */
  private interface BeforeAdding {
    void run() throws Exception;
  }

  private static Connection adding(Connection connection, BeforeAdding before) {
    return (Connection) Proxy.newProxyInstance(
        FencedWritesContract.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && ((String) arguments[0]).startsWith("INSERT")) {
            before.run();
          }
          try {
            return method.invoke(connection, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  /** One statement in place of two. */
  @Test
  void aNameThatALaterTransactionHasFoundThereIsNotAddedAgain() throws SQLException {
    AtomicInteger added = new AtomicInteger();
    try (Connection connection = connection()) {
      Connection counting = adding(connection, added::incrementAndGet);
      write(fence, counting, "a", 1);
      write(fence, counting, "a", 2);
      int before = added.get();
      write(fence, counting, "a", 3);
      assertThat(added).hasValue(before);
      execute("DELETE FROM fence_" + suffix);
      assertThat(write(fence, counting, "a", 4)).isTrue();
    }
  }

  @Test
  @Timeout(7200)
  void noStaleWriteGetsThroughTheGuardRow() throws Exception {
    assertNoStaleWrite(FencedForm.row(fence));
  }

  @Test
  @Timeout(7200)
  void noStaleWriteGetsThroughTheGuardColumn() throws Exception {
    assertNoStaleWrite(FencedForm.COLUMN);
  }

  private void assertNoStaleWrite(FencedForm form) throws Exception {
    int writes = Integer.getInteger("interlock.test.fenced.writes", 1_000);
    PausedHolders.Result result =
        new PausedHolders(this::connection, lockUri(), form, writes).run();
    System.out.printf("%s, %s: %s%n", version(), form, result);
    assertThat(result.journalled()).as("in the journal, %s", result).isEqualTo(result.accepted());
    assertThat(result.lost()).as("resources that lost a write, %s", result).isZero();
    assertThat(result.stale()).as("stale writes that got through, %s", result).isZero();
    assertThat(result.refusedWithin())
        .as("refused within their lease, %s", result)
        .isZero();
    assertThat(result.accepted()).as("written, %s", result).isGreaterThanOrEqualTo(writes);
    assertThat(result.within()).as("written within a lease, %s", result).isGreaterThan(writes / 50);
    assertThat(result.refused()).as("refused, %s", result).isGreaterThan(writes / 50);
  }

  @Test
  void aGuardColumnRefusesAsWell() throws SQLException {
    try (Connection connection = connection()) {
      assertThat(updateColumn(connection, 5)).isEqualTo(1);
      assertThat(updateColumn(connection, 5)).isEqualTo(1);
      int stale = updateColumn(connection, 4);
      assertThatThrownBy(() -> FencedWrites.requireWritten(stale, "stock", 4))
          .isInstanceOf(StaleTokenException.class);
      FencedWrites.requireWritten(1, "stock", 5);
    }
  }

  private int updateColumn(Connection connection, long token) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int rows = statement.executeUpdate(
          "UPDATE " + data + " SET token = " + token + " WHERE id = 1 AND token <= " + token);
      connection.commit();
      return rows;
    }
  }
}
