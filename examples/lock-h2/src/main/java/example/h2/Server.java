package example.h2;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.OutcomeUnknownException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcConnectionPool;

/** Sends one statement at a time, each a transaction of its own, and says what a failure means. */
final class Server {
  private static final String URL =
      "jdbc:h2:tcp://%s/mem:interlock;DB_CLOSE_DELAY=-1;NETWORK_TIMEOUT=2000;LOCK_TIMEOUT=1000";

  /** The functions' class, {@link Attempts}, has to be on the server's class path. */
  private static final String SCHEMA =
      "CREATE TABLE IF NOT EXISTS BUCKETS(ID INT PRIMARY KEY, TOKEN BIGINT NOT NULL) AS SELECT X,"
          + " " + Attempts.NOW + " FROM SYSTEM_RANGE(0, " + (Attempts.BUCKETS - 1) + ");"
          + "CREATE TABLE IF NOT EXISTS LOCKS(NAME VARCHAR PRIMARY KEY, HOLD CHAR(32),"
          + " OWNER VARCHAR, HOST VARCHAR, TOKEN BIGINT, SINCE BIGINT, EXPIRES BIGINT);"
          + "CREATE INDEX IF NOT EXISTS LOCKS_BY_END ON LOCKS(EXPIRES);"
          + "CREATE ALIAS IF NOT EXISTS ATTEMPT FOR 'example.h2.Attempts.attempt';"
          + "CREATE ALIAS IF NOT EXISTS RAISE FOR 'example.h2.Attempts.raise'";

  private final String url;
  private final AtomicReference<JdbcConnectionPool> pool;

  Server(HostPort address) {
    url = URL.formatted(address);
    pool = new AtomicReference<>(connections());
    try (Connection connection = pool.get().getConnection()) {
      connection.createStatement().execute(SCHEMA);
    } catch (SQLException e) {
      close();
      throw new BackendUnavailableException("H2 at " + address + " cannot be used", e);
    }
  }

  private JdbcConnectionPool connections() {
    return JdbcConnectionPool.create(url, "sa", "");
  }

  <T> T send(String sql, Attempts.Reader<T> reader, Object... values) {
    JdbcConnectionPool used = pool.get();
    boolean sent = false;
    try (Connection connection = used.getConnection()) {
      sent = true;
      return Attempts.run(connection, sql, reader, values);
    } catch (SQLException e) {
      boolean broken = e.getErrorCode() == ErrorCode.CONNECTION_BROKEN_1;
      if (broken) {
        giveUp(used);
      }
      if (sent && broken) {
        throw new OutcomeUnknownException("H2 did not answer", e);
      }
      throw new BackendUnavailableException("H2 did nothing", e);
    } catch (IllegalStateException e) {
      throw new BackendUnavailableException("the connections are given up just now", e);
    }
  }

  /**
   * Begins anew when a connection breaks. The others were opened as long ago and may be as deaf:
   * one after the other would keep a call waiting for as long as the driver waits for an answer.
   */
  private void giveUp(JdbcConnectionPool used) {
    if (pool.compareAndSet(used, connections())) {
      // Each of them may wait once more, for an answer to its end.
      Thread end = new Thread(used::dispose, "h2-given-up");
      end.setDaemon(true);
      end.start();
    }
  }

  void close() {
    pool.get().dispose();
  }
}
