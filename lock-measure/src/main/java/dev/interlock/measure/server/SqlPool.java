package dev.interlock.measure.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** A connection pool to a database. Thread-safe. */
public final class SqlPool implements AutoCloseable {
  private final ServerKind kind;
  private final HikariDataSource source;

  private SqlPool(ServerKind kind, HikariDataSource source) {
    this.kind = kind;
    this.source = source;
  }

  /**
   * Connects.
   *
   * @param connections the pool's size
   * @throws RuntimeException if the server does not answer, or refuses
   */
  public static SqlPool open(ServerAddress server, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:" + server.kind().jdbcName() + "://" + server.host() + ":"
        + server.port() + "/" + server.database());
    server.user().ifPresent(config::setUsername);
    server.password().ifPresent(config::setPassword);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    return new SqlPool(server.kind(), new HikariDataSource(config));
  }

  /** Whose statements the database understands. */
  public ServerKind kind() {
    return kind;
  }

  /** The pool as libraries take it. */
  public DataSource source() {
    return source;
  }

  /** Runs an update in a transaction of its own and returns the number of rows it changed. */
  public int update(String sql, Object... arguments) {
    try (Connection connection = source.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /**
   * Makes a table of names and holders, unless it is there.
   *
   * @return the table's name
   */
  public String holders(String table) {
    update("CREATE TABLE IF NOT EXISTS " + table
        + " (name VARCHAR(100) PRIMARY KEY, holder VARCHAR(100))");
    return table;
  }

  /** Adds a row without a holder to such a table, unless it is there. */
  public void addHolder(String table, String name) {
    update(
        kind == ServerKind.MYSQL
            ? "INSERT IGNORE INTO " + table + " (name) VALUES (?)"
            : "INSERT INTO " + table + " (name) VALUES (?) ON CONFLICT DO NOTHING",
        name);
  }

  /** Returns the rows of an answer. */
  List<List<String>> query(String sql) {
    try (Connection connection = source.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet result = statement.executeQuery()) {
      List<List<String>> rows = new ArrayList<>();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
          row.add(result.getString(column));
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /** Returns the tables whose names begin like this. */
  public List<String> tables(String prefix) {
    String schema = kind == ServerKind.MYSQL ? "DATABASE()" : "CURRENT_SCHEMA";
    return query("SELECT table_name FROM information_schema.tables WHERE table_schema = " + schema
            + " AND table_type = 'BASE TABLE' AND LOWER(table_name) LIKE '"
            + prefix.replace("_", "\\_") + "%'")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  /** Returns the rows of the tables whose names begin like this, each as one text. */
  Set<String> contents(String prefix) {
    return tables(prefix).stream()
        .flatMap(table -> query("SELECT * FROM " + table).stream()
            .map(row -> table + "=" + String.join("|", row)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public void close() {
    source.close();
  }
}
