package dev.interlock.measure.server;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** Asks a PostgreSQL server. It counts statements up to ten seconds late, so these are left out. */
final class PostgresProbe implements ServerProbe {
  private final SqlPool pool;

  private PostgresProbe(SqlPool pool) {
    this.pool = pool;
  }

  static ServerProbe open(ServerAddress server) {
    try {
      return new PostgresProbe(SqlPool.open(server, 1));
    } catch (RuntimeException e) {
      throw new ServerUnavailableException(
          "PostgreSQL at " + server + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public String version() {
    // Without what a distribution adds in parentheses.
    return "PostgreSQL " + pool.query("SHOW server_version").get(0).get(0).split(" ", 2)[0];
  }

  @Override
  public Map<String, Long> commands() {
    return Map.of();
  }

  @Override
  public OptionalLong totalCommands() {
    return OptionalLong.empty();
  }

  @Override
  public OptionalLong cpuMicros() {
    return OptionalLong.empty();
  }

  /** Rows are counted; bytes are the pages of the tables and of their indexes. */
  @Override
  public Footprint footprint(String name) {
    long rows = 0;
    long bytes = 0;
    for (String table : pool.tables(name)) {
      rows += number("SELECT COUNT(*) FROM " + table);
      bytes += number("SELECT PG_TOTAL_RELATION_SIZE('" + table + "'::regclass)");
    }
    return new Footprint(rows, bytes);
  }

  @Override
  public Set<String> contents(String name) {
    return pool.contents(name);
  }

  private long number(String query) {
    return Long.parseLong(pool.query(query).get(0).get(0));
  }

  @Override
  public void close() {
    pool.close();
  }
}
