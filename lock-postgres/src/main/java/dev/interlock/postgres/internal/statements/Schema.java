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

  /** In the place of a version, if there are no tables. */
  private static final String MISSING = "";

  /** What becomes the version. */
  private static final Set<String> BEFORE =
      Set.of(MISSING, "interlock 1", "interlock 2", "interlock 3", "interlock 4", "interlock 5");

  /** Only one client creates at a time; the others then find what it created. */
  private static final long CREATION = 0x696e7465726c6bL;

  private final String prefix;

  public Schema(String prefix) {
    this.prefix = prefix;
  }

  /** What has to be run before the tables and functions are as they should be. */
  private String ddl(String found) {
    String first = found.equals(MISSING) ? "schema.sql" : "upgrade.sql";
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
    String found = version(connection);
    if (mode == PostgresOptions.SchemaMode.CREATE && BEFORE.contains(found)) {
      create(connection);
      found = version(connection);
    }
    if (!found.equals(VERSION)) {
      throw new LockConfigurationException("The tables of lock-postgres are not as they should be: "
          + fault(found)
          + ". Open once with ?schema=create, choose another tablePrefix, or run:\n\n"
          + ddl(BEFORE.contains(found) ? found : MISSING));
    }
  }

  private String fault(String found) {
    if (found.equals(MISSING)) {
      return "table " + prefix + "lock is missing";
    }
    return BEFORE.contains(found)
        ? "they are of an earlier version, '" + found + "'"
        : "table " + prefix + "counter is not marked '" + VERSION + "' but '" + found + "'";
  }

  private void create(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT PG_ADVISORY_XACT_LOCK(" + CREATION + ")");
      String found = version(connection);
      if (BEFORE.contains(found)) {
        statement.execute(ddl(found));
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  /**
   * Asks the catalog itself. TO_REGCLASS may answer what the session found before it waited for
   * another that created the tables.
   */
  private String version(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT relname, OBJ_DESCRIPTION(oid, 'pg_class') FROM pg_class"
            + " WHERE relname IN (?, ?) AND PG_TABLE_IS_VISIBLE(oid) ORDER BY relname DESC")) {
      statement.setString(1, prefix + "lock");
      statement.setString(2, prefix + "counter");
      ResultSet row = statement.executeQuery();
      if (!row.next() || !row.getString(1).equals(prefix + "lock")) {
        return MISSING;
      }
      return String.valueOf(row.next() ? row.getString(2) : null);
    }
  }
}
