package dev.interlock.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A MySQL or MariaDB server. The tables of the floor and the peers are there while it is open. */
final class MeasuredMysql implements MeasuredServer {
  private static final String COMMAND = "Com_";

  private static final Map<String, String> TABLES = Map.of(
      MysqlFloor.TABLE,
      "(name VARCHAR(100) PRIMARY KEY, holder VARCHAR(100))",
      SpringJdbcSubject.TABLE,
      "(LOCK_KEY CHAR(36), REGION VARCHAR(100), CLIENT_ID CHAR(36),"
          + " CREATED_DATE DATETIME(6) NOT NULL, EXPIRED_AFTER DATETIME(6) NOT NULL,"
          + " PRIMARY KEY (LOCK_KEY, REGION))",
      ShedLockSubject.TABLE,
      "(name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NOT NULL,"
          + " locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),"
          + " locked_by VARCHAR(255) NOT NULL)");

  private final MysqlPool pool;

  private MeasuredMysql(MysqlPool pool) {
    this.pool = pool;
  }

  /**
   * Connects and creates the tables.
   *
   * @throws ServerUnavailableException if the server does not answer, or refuses
   */
  static MeasuredMysql open(ServerAddress server) {
    MysqlPool pool = null;
    try {
      pool = MysqlPool.open(server, 1);
      for (Map.Entry<String, String> table : TABLES.entrySet()) {
        pool.update("CREATE TABLE IF NOT EXISTS " + table.getKey() + " " + table.getValue());
      }
      return new MeasuredMysql(pool);
    } catch (RuntimeException e) {
      if (pool != null) {
        pool.close();
      }
      throw new ServerUnavailableException(
          "MySQL at " + server + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public String version() {
    String version = query("SELECT 'version', VERSION()").getOrDefault("version", "unknown");
    int mariaDb = version.indexOf("-MariaDB");
    return mariaDb < 0 ? "MySQL " + version : "MariaDB " + version.substring(0, mariaDb);
  }

  @Override
  public Map<String, Long> commands() {
    Map<String, Long> calls = new TreeMap<>();
    query("SHOW GLOBAL STATUS LIKE 'Com\\_%'")
        .forEach((name, value) -> calls.put(
            name.substring(COMMAND.length()).toLowerCase(Locale.ROOT), Long.parseLong(value)));
    // Our own question is no part of what it asks about.
    calls.remove("show_status");
    return calls;
  }

  @Override
  public OptionalLong cpuMicros() {
    return OptionalLong.empty();
  }

  private Map<String, String> query(String sql) {
    Map<String, String> rows = new TreeMap<>();
    try (Connection connection = pool.source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.put(result.getString(1), result.getString(2));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
    return rows;
  }

  @Override
  public void close() {
    List.copyOf(TABLES.keySet()).forEach(name -> pool.update("DROP TABLE IF EXISTS " + name));
    pool.close();
  }
}
