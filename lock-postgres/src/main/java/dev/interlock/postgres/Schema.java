package dev.interlock.postgres;

import dev.interlock.LockConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The tables and functions: creates them, or tells that those that are there are not ours. */
final class Schema {
  /** The comment on the counter's table, which the DDL sets last. */
  private static final String VERSION = "interlock 1";

  /** Only one client creates at a time; the others then find what it created. */
  private static final long CREATION = 0x696e7465726c6bL;

  private final String prefix;
  private final String ddl;

  Schema(String prefix) {
    this.prefix = prefix;
    try (InputStream in = Schema.class.getResourceAsStream("schema.sql")) {
      this.ddl = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .replace("${prefix}", prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Does what the option says. */
  void apply(Connection connection, PostgresOptions.SchemaMode mode) throws SQLException {
    if (mode == PostgresOptions.SchemaMode.NONE) {
      return;
    }
    if (mode == PostgresOptions.SchemaMode.CREATE && fault(connection).equals(missing())) {
      create(connection);
    }
    String fault = fault(connection);
    if (!fault.isEmpty()) {
      throw new LockConfigurationException("The tables of lock-postgres are not as they should be: "
          + fault + ". Open once with ?schema=create, choose another tablePrefix, or run:\n\n"
          + ddl);
    }
  }

  private void create(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT PG_ADVISORY_XACT_LOCK(" + CREATION + ")");
      if (fault(connection).equals(missing())) {
        statement.execute(ddl);
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
      return VERSION.equals(found)
          ? ""
          : "table " + prefix + "counter is not marked '" + VERSION + "' but '" + found + "'";
    }
  }
}
