package dev.interlock.mysql.internal.statements;

import dev.interlock.LockConfigurationException;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.sql.support.Opening;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables: creates them, or tells what is wrong with those that are there. */
public final class Schema {
  private static final Pattern TABLE =
      Pattern.compile("CREATE TABLE IF NOT EXISTS (\\S+) \\((.*?)\\n\\) ENGINE", Pattern.DOTALL);
  private static final Pattern COLUMN =
      Pattern.compile("^  (\\w+) +(\\w+)(?:\\((\\d+)\\))?", Pattern.MULTILINE);

  /** What the tables of 'interlock 1' do not have. */
  private static final List<String> ADDED = List.of("units", "capacity", "token", "stay_us");

  private final String prefix;
  private final String ddl;

  public Schema(String prefix) {
    this.prefix = prefix;
    this.ddl = script("schema.sql");
  }

  /** From the exported package, where applications find the files for migrations of their own. */
  private String script(String file) {
    return Opening.script(MysqlOptions.class, file, prefix);
  }

  /** Does what the option says. */
  public void apply(Connection connection, MysqlOptions.SchemaMode mode) throws SQLException {
    if (mode == MysqlOptions.SchemaMode.CREATE) {
      List<String> faults = faults(connection);
      if (isEarlier(faults)) {
        upgrade(connection);
      } else if (!faults.isEmpty()) {
        create(connection);
      }
    }
    if (mode != MysqlOptions.SchemaMode.NONE) {
      check(connection);
    }
  }

  private void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements(ddl)) {
        statement.execute(sql);
      }
      for (int bucket = 0; bucket < LockKey.BUCKETS; bucket++) {
        statement.addBatch(
            "INSERT IGNORE INTO " + prefix + "counter (bucket) VALUES (" + bucket + ")");
      }
      statement.executeBatch();
    }
  }

  /** Whether that is all: tables of 'interlock 1', which are complete as such. */
  private boolean isEarlier(List<String> faults) {
    return faults.equals(
        ADDED.stream().map(column -> noColumn(prefix + "entry", column)).toList());
  }

  private static String noColumn(String table, String column) {
    return "table " + table + " has no column " + column;
  }

  /** All columns come by one statement, so whoever comes second finds all of them there. */
  private void upgrade(Connection connection) throws SQLException {
    List<String> statements = statements(script("upgrade.sql"));
    try (Statement statement = connection.createStatement()) {
      try {
        for (String sql : statements) {
          statement.execute(sql);
        }
      } catch (SQLException e) {
        statement.execute(statements.get(statements.size() - 1)); // the session is given back
        if (!faults(connection).isEmpty()) {
          throw e; // nobody else did it meanwhile
        }
      }
    }
  }

  private static List<String> statements(String script) {
    String code = script.replaceAll("(?m)^--.*$", "");
    return Arrays.stream(code.split(";", -1))
        .map(String::strip)
        .filter(sql -> !sql.isEmpty())
        .toList();
  }

  private void check(Connection connection) throws SQLException {
    List<String> faults = faults(connection);
    if (!faults.isEmpty()) {
      boolean earlier = isEarlier(faults);
      throw new LockConfigurationException(
          "The tables of lock-mysql are not as they should be in database '"
              + connection.getCatalog()
              + "': "
              + (earlier
                  ? "they are of an earlier version, 'interlock 1', and have no place for locks that"
                      + " are shared"
                  : String.join("; ", faults))
              + ". Open once with ?schema=create, choose another tablePrefix, or run:\n\n"
              + (earlier ? script("upgrade.sql") : ddl));
    }
  }

  /** Table by table what is missing or different. */
  private List<String> faults(Connection connection) throws SQLException {
    List<String> faults = new ArrayList<>();
    Matcher tables = TABLE.matcher(ddl);
    while (tables.find()) {
      String table = tables.group(1);
      Map<String, String> found = columns(connection, table);
      if (found.isEmpty()) {
        faults.add("table " + table + " is missing");
        continue;
      }
      Matcher columns = COLUMN.matcher(tables.group(2));
      while (columns.find()) {
        String name = columns.group(1);
        if (name.equals("PRIMARY") || name.equals("KEY")) {
          continue;
        }
        String wanted = columns.group(2).toLowerCase(Locale.ROOT)
            + (columns.group(3) == null ? "" : "(" + columns.group(3) + ")");
        String actual = found.get(name);
        if (actual == null) {
          faults.add(noColumn(table, name));
        } else if (!actual.equals(wanted)) {
          faults.add("column " + table + "." + name + " is " + actual + " and not " + wanted);
        }
      }
    }
    faults.addAll(engines(connection));
    return faults;
  }

  private static Map<String, String> columns(Connection connection, String table)
      throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT LOWER(column_name), data_type, character_maximum_length"
            + " FROM information_schema.columns"
            + " WHERE table_schema = DATABASE() AND table_name = ?")) {
      statement.setString(1, table);
      ResultSet rows = statement.executeQuery();
      while (rows.next()) {
        String length = rows.getString(3);
        columns.put(
            rows.getString(1),
            rows.getString(2).toLowerCase(Locale.ROOT)
                + (length == null ? "" : "(" + length + ")"));
      }
    }
    return columns;
  }

  private List<String> engines(Connection connection) throws SQLException {
    List<String> faults = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT table_name, engine FROM information_schema.tables"
            + " WHERE table_schema = DATABASE() AND table_name IN (?, ?, ?)"
            + " AND COALESCE(engine, '') <> 'InnoDB'")) {
      statement.setString(1, prefix + "lock");
      statement.setString(2, prefix + "entry");
      statement.setString(3, prefix + "counter");
      ResultSet rows = statement.executeQuery();
      while (rows.next()) {
        faults.add("table " + rows.getString(1) + " is " + rows.getString(2) + " and not InnoDB");
      }
    }
    return faults;
  }
}
