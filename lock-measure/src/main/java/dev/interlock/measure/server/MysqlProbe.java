package dev.interlock.measure.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Asks a MySQL or MariaDB server. */
final class MysqlProbe implements ServerProbe {
  private static final String COMMAND = "Com_";

  private final SqlPool pool;
  private final long costOfAsking;
  private long own;

  private MysqlProbe(SqlPool pool) {
    this.pool = pool;
    questions();
    long before = questions();
    this.costOfAsking = questions() - before;
  }

  /** To be made while nobody else uses the server: it finds out what asking costs. */
  static ServerProbe open(ServerAddress server) {
    SqlPool pool = null;
    try {
      pool = SqlPool.open(server, 1);
      return new MysqlProbe(pool);
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
    String version = pool.query("SELECT VERSION()").get(0).get(0);
    int mariaDb = version.indexOf("-MariaDB");
    return mariaDb < 0 ? "MySQL " + version : "MariaDB " + version.substring(0, mariaDb);
  }

  @Override
  public Map<String, Long> commands() {
    Map<String, Long> calls = new TreeMap<>();
    for (List<String> row : pool.query("SHOW GLOBAL STATUS LIKE 'Com\\_%'")) {
      String name = row.get(0).substring(COMMAND.length()).toLowerCase(Locale.ROOT);
      calls.put(name, Long.parseLong(row.get(1)));
    }
    // Our own question is no part of what it asks about.
    calls.remove("show_status");
    return calls;
  }

  /** Not the sum of the above, where a statement that the server has prepared counts twice. */
  @Override
  public OptionalLong totalCommands() {
    own += costOfAsking;
    return OptionalLong.of(questions() - own);
  }

  private long questions() {
    return number("SHOW GLOBAL STATUS LIKE 'Questions'", 1);
  }

  @Override
  public OptionalLong cpuMicros() {
    return OptionalLong.empty();
  }

  /** Rows are counted; bytes are the pages of the tables, the smallest unit that there is. */
  @Override
  public Footprint footprint(String name) {
    long rows = 0;
    long bytes = 0;
    for (String table : pool.tables(name)) {
      rows += number("SELECT COUNT(*) FROM " + table, 0);
      bytes += number(
          // The hint is for MySQL, which would answer from yesterday's statistics otherwise.
          "SELECT /*+ SET_VAR(information_schema_stats_expiry=0) */ data_length + index_length"
              + " FROM information_schema.tables WHERE table_schema = DATABASE()"
              + " AND table_name = '" + table + "'",
          0);
    }
    return new Footprint(rows, bytes);
  }

  @Override
  public Set<String> contents(String name) {
    return pool.contents(name);
  }

  private long number(String query, int column) {
    return Long.parseLong(pool.query(query).get(0).get(column));
  }

  @Override
  public void close() {
    pool.close();
  }
}
