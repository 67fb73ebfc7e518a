package dev.interlock.fencing.jdbc;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The samples of docs/fencing.md. They only compile. */
@SuppressWarnings("UnusedMethod")
abstract class FencingSamples {
  abstract void updateStock(Connection connection);

  abstract int update(String sql, Object... parameters);

  void guardRow(LockClient locks, DataSource dataSource) throws InterruptedException, SQLException {
    FencedWrites fence = FencedWrites.create();
    try (Lease lease = locks.acquire(LockRequest.of("stock"));
        Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      fence.guard(connection, lease); // StaleTokenException if a later holder has written
      updateStock(connection);
      connection.commit();
    }
  }

  void guardColumn(long id, int items, long token) {
    int rows = update(
        "UPDATE orders SET items = ?, token = ? WHERE id = ? AND token <= ?",
        items,
        token,
        id,
        token);
    FencedWrites.requireWritten(rows, "order-" + id, token);
  }
}
