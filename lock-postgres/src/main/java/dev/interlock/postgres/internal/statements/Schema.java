package dev.interlock.postgres.internal.statements;

import dev.interlock.LockConfigurationException;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.sql.support.Opening;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables and functions: creates them, or tells that those that are there are not ours. */
public final class Schema {
  /** The comment on the counter's table, which the DDL sets last. */
  private static final String VERSION = "interlock 6";

  private static final Set<String> BEFORE =
      Set.of("interlock 1", "interlock 2", "interlock 3", "interlock 4", "interlock 5");

  /** Only one client creates at a time; the others then find what it created. */
  private static final long CREATION = 0x696e7465726c6bL;

  private final String prefix;

  public Schema(String prefix) {
    this.prefix = prefix;
  }

  /** What has to be run before the tables and functions are as they should be. */
  private String ddl(String fault) {
    String first = isOutdated(fault) ? "upgrade.sql" : "schema.sql";
    return Stream.of(first, "functions.sql", "counted.sql")
        // From the exported package, where applications find them for migrations of their own.
        .map(file -> Opening.script(PostgresOptions.class, file, prefix))
        .collect(Collectors.joining("\n"));
  }

  /** Does what the option says. */
  public void apply(Connection connection, PostgresOptions.SchemaMode mode) throws SQLException {
    if (mode == PostgresOptions.SchemaMode.NONE) {
      return;
    }
    if (mode == PostgresOptions.SchemaMode.CREATE && isOurs(fault(connection))) {
      create(connection);
    }
    String fault = fault(connection);
    if (!fault.isEmpty()) {
      throw new LockConfigurationException("The tables of lock-postgres are not as they should be: "
          + fault + ". Open once with ?schema=create, choose another tablePrefix, or run:\n\n"
          + ddl(fault));
    }
  }

  /** Whether we may do something about it. */
  private boolean isOurs(String fault) {
    return fault.equals(missing()) || isOutdated(fault);
  }

  private void create(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT PG_ADVISORY_XACT_LOCK(" + CREATION + ")");
      String fault = fault(connection);
      if (isOurs(fault)) {
        statement.execute(ddl(fault));
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private String missing() {
    return "table " + prefix + "lock is missing";
  }

  private static boolean isOutdated(String fault) {
    return BEFORE.stream().anyMatch(version -> fault.equals(outdated(version)));
  }

  private static String outdated(String version) {
    return "they are of an earlier version, '" + version + "'";
  }

  /**
   * Asks the catalog itself. TO_REGCLASS may answer what the session found before it waited for
   * another that created the tables.
   */
  private String fault(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT relname, OBJ_DESCRIPTION(oid, 'pg_class') FROM pg_class"
            + " WHERE relname IN (?, ?) AND PG_TABLE_IS_VISIBLE(oid) ORDER BY relname DESC")) {
      statement.setString(1, prefix + "lock");
      statement.setString(2, prefix + "counter");
      ResultSet row = statement.executeQuery();
      if (!row.next() || !row.getString(1).equals(prefix + "lock")) {
        return missing();
      }
      String found = row.next() ? row.getString(2) : null;
      if (found != null && BEFORE.contains(found)) {
        return outdated(found);
      }
      return VERSION.equals(found)
          ? ""
          : "table " + prefix + "counter is not marked '" + VERSION + "' but '" + found + "'";
    }
  }
}
