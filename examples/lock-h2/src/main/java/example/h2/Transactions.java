package example.h2;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.OutcomeUnknownException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Runs steps one after the other for each bucket of names. The bucket's row also has the counter
 * of fencing tokens: drawn under the row's lock, a later hold always has the larger one. It starts
 * at the server's time in microseconds, so that tokens grow also when the database was lost.
 *
 * <p>If the client dies before the commit, or a statement fails, the server undoes everything; if
 * it dies after it, a lease is left that runs out. A lost reply to the commit is the one case where
 * nobody knows, and the engine then repeats or abandons: every step may run twice or late.
 */
final class Transactions {
  private static final int BUCKETS = 16;

  /** A client that is cut or stopped within a step keeps the bucket's row for a while. */
  private static final int TRIES = 6;

  private static final String URL =
      "jdbc:h2:tcp://%s/mem:interlock;DB_CLOSE_DELAY=-1;NETWORK_TIMEOUT=2000;LOCK_TIMEOUT=1000";
  private static final String CREATE =
      "CREATE TABLE IF NOT EXISTS BUCKETS(ID INT PRIMARY KEY, TOKEN BIGINT NOT NULL) AS SELECT X,"
          + " " + H2Backend.NOW + " FROM SYSTEM_RANGE(0, " + (BUCKETS - 1) + ");"
          + "CREATE TABLE IF NOT EXISTS LOCKS(NAME VARCHAR PRIMARY KEY, HOLD CHAR(32), OWNER VARCHAR,"
          + " HOST VARCHAR, TOKEN BIGINT, SINCE BIGINT, EXPIRES BIGINT)";
  private static final String LOCK_BUCKET = "SELECT TOKEN FROM BUCKETS WHERE ID = ? FOR UPDATE";
  private static final String NEXT_TOKEN = "UPDATE BUCKETS SET TOKEN = TOKEN + 1 WHERE ID = ?";

  private final JdbcConnectionPool pool;

  Transactions(HostPort server) {
    pool = JdbcConnectionPool.create(URL.formatted(server), "sa", "");
    try (Connection connection = pool.getConnection()) {
      connection.createStatement().execute(CREATE);
    } catch (SQLException e) {
      pool.dispose();
      throw new BackendUnavailableException("H2 at " + server + " cannot be used", e);
    }
  }

  interface Work<T> {
    T in(Step step) throws SQLException;
  }

  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Runs a step. One that did not get the bucket's row did nothing, so it is tried again. */
  <T> T run(String name, Work<T> work) {
    for (int tries = 1; ; tries++) {
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        Step step = new Step(connection, name, Math.floorMod(name.hashCode(), BUCKETS));
        step.query(LOCK_BUCKET, row -> row.getLong(1), step.bucket());
        T answer = work.in(step);
        commit(connection);
        return answer;
      } catch (SQLException e) {
        if (tries == TRIES || e.getErrorCode() != ErrorCode.LOCK_TIMEOUT_1) {
          throw new BackendUnavailableException("H2 failed before the commit: nothing was done", e);
        }
      }
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new OutcomeUnknownException("H2 failed within the commit", e);
    }
  }

  void close() {
    pool.dispose();
  }

  /** What a step works with. */
  record Step(Connection connection, String name, int bucket) {
    long nextToken() throws SQLException {
      update(NEXT_TOKEN, bucket);
      return query(LOCK_BUCKET, row -> row.getLong(1), bucket).orElseThrow();
    }

    int update(String sql, Object... values) throws SQLException {
      try (PreparedStatement statement = prepare(sql, values)) {
        return statement.executeUpdate();
      }
    }

    <T> Optional<T> query(String sql, Reader<T> reader, Object... values) throws SQLException {
      try (PreparedStatement statement = prepare(sql, values);
          ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
      }
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
      PreparedStatement statement = connection.prepareStatement(sql);
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement;
    }
  }
}
