package dev.interlock.postgres.internal.connection;

import dev.interlock.LockConfigurationException;
import dev.interlock.sql.support.Opening;
import java.lang.System.Logger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * What a client has to know of the session at the other end of a connection.
 *
 * @param server product and version
 * @param direct whether no pooler stands in between
 */
public record ServerFacts(String server, boolean direct) {
  private static final Logger LOG = System.getLogger(ServerFacts.class.getName());
  private static final int OLDEST = 140_000;
  private static final List<String> DURABLE =
      List.of("fsync", "full_page_writes", "synchronous_commit");

  /**
   * Looks at a session. Warns if the server may lose what it has committed once it, or its machine,
   * has crashed.
   *
   * @throws LockConfigurationException if locks cannot work with it
   */
  public static ServerFacts of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CURRENT_SETTING('server_version'),"
            + " CURRENT_SETTING('server_version_num')::int,"
            + " CURRENT_SETTING('transaction_isolation'), CURRENT_SETTING('fsync') AS fsync,"
            + " CURRENT_SETTING('full_page_writes') AS full_page_writes,"
            + " CURRENT_SETTING('synchronous_commit') AS synchronous_commit")) {
      row.next();
      String server = "PostgreSQL " + row.getString(1).split(" ", 2)[0];
      if (row.getInt(2) < OLDEST) {
        throw new LockConfigurationException(server + " is too old: lock-postgres needs 14");
      }
      if (!row.getString(3).equals("read committed")) {
        throw new LockConfigurationException("the connections are " + row.getString(3)
            + ": locks need READ COMMITTED, for instance by ALTER ROLE ... SET"
            + " default_transaction_isolation = 'read committed'");
      }
      List<String> risks = new ArrayList<>();
      for (String setting : DURABLE) {
        if (row.getString(setting).equals("off")) {
          risks.add(setting + " is off");
        }
      }
      Opening.warnIfNotDurable(LOG, server, risks);
      return new ServerFacts(server, isDirect(connection));
    }
  }

  /**
   * Whether a connection leads straight to the server: the driver and the server then know the
   * session by the same number. A pooler gives its clients numbers of its own.
   */
  public static boolean isDirect(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(PGConnection.class)) {
      return false;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT PG_BACKEND_PID()")) {
      row.next();
      return connection.unwrap(PGConnection.class).getBackendPID() == row.getInt(1);
    }
  }
}
