package dev.interlock.mysql.internal.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.sql.support.Opening;
import java.lang.System.Logger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client has to know of the server behind a connection.
 *
 * @param server product and version, such as {@code MariaDB 11.4.5}
 * @param canWake whether the server, and not a proxy, is at the other end, see {@link #isDirect},
 *     and has user-level locks
 */
public record ServerFacts(String server, boolean canWake) {
  private static final Logger LOG = System.getLogger(ServerFacts.class.getName());

  /**
   * Looks at a session.
   *
   * @param probe a user-level lock that nobody else uses
   */
  public static ServerFacts of(Connection connection, String probe) throws SQLException {
    return new ServerFacts(version(connection), canWake(connection, probe));
  }

  public boolean isMariaDb() {
    return server.startsWith("MariaDB");
  }

  /**
   * Refuses connections of which the driver says that they commit each statement, and the server
   * that they do not: what a client was told that it holds would be known to nobody else.
   */
  public static void requireCommits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@SESSION.autocommit + 0")) {
      row.next();
      if (row.getInt(1) != 1) {
        throw new LockConfigurationException("Cannot open 'mysql': the server has autocommit=0, and"
            + " the pool's driver does not know (useLocalSessionState). Give the pool"
            + " sessionVariables=autocommit=1");
      }
    }
  }

  /** Warns if the server may lose what it has committed once it, or its machine, has crashed. */
  public static void warnIfNotDurable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit,"
            + " @@GLOBAL.log_bin, @@GLOBAL.sync_binlog")) {
      row.next();
      List<String> risks = durabilityRisks(row.getLong(1), row.getBoolean(2), row.getLong(3));
      Opening.warnIfNotDurable(LOG, version(connection), risks);
    }
  }

  /**
   * Names the settings that are to blame.
   *
   * @param flush innodb_flush_log_at_trx_commit; 3 is MariaDB's, and as good as 1
   * @param binlog whether there is a binary log, which decides what is recovered
   * @param sync sync_binlog
   */
  static List<String> durabilityRisks(long flush, boolean binlog, long sync) {
    List<String> risks = new ArrayList<>();
    if (flush != 1 && flush != 3) {
      risks.add("innodb_flush_log_at_trx_commit is " + flush + " and not 1");
    }
    if (binlog && sync != 1) {
      risks.add("sync_binlog is " + sync + " and not 1");
    }
    return risks;
  }

  private static String version(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT VERSION()")) {
      if (!row.next()) {
        throw new BackendUnavailableException("the server does not tell its version");
      }
      String version = row.getString(1);
      int dash = version.indexOf('-');
      return (version.contains("MariaDB") ? "MariaDB " : "MySQL ")
          + (dash < 0 ? version : version.substring(0, dash));
    }
  }

  private static boolean canWake(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(
        "SELECT IF(GET_LOCK(?, 0) = 1, IS_USED_LOCK(?), NULL), RELEASE_LOCK(?)")) {
      for (int i = 1; i <= 3; i++) {
        statement.setString(i, name);
      }
      ResultSet row = statement.executeQuery();
      return row.next() && isDirect(connection, row.getObject(1, Long.class));
    } catch (SQLException e) {
      if (!MysqlFaults.hasNoUserLocks(e)) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Whether a connection leads straight to the server, which the driver and the server itself then
   * call by the same number. A proxy gives sessions numbers of its own and may apply KILL to those,
   * so it must not be sent one.
   *
   * @param connection the connection
   * @param serverId the id by which the server knows the session that holds a user-level lock
   */
  public static boolean isDirect(Connection connection, @Nullable Long serverId)
      throws SQLException {
    return serverId != null
        && connection.isWrapperFor(JdbcConnection.class)
        && connection.unwrap(JdbcConnection.class).getId() == serverId;
  }
}
