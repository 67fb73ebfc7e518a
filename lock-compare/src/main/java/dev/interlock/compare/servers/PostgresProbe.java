package dev.interlock.compare.servers;

import dev.interlock.measure.server.ServerProbe;
import dev.interlock.testservers.PostgresServer;
import java.util.Map;
import java.util.OptionalLong;

/** Asks a PostgreSQL server. It counts statements up to ten seconds late, so these are left out. */
final class PostgresProbe implements ServerProbe {
  private final PostgresServer server;

  PostgresProbe(PostgresServer server) {
    this.server = server;
  }

  @Override
  public String version() {
    return server.version();
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
    String tables = server.execute("SELECT table_name FROM information_schema.tables"
        + " WHERE table_schema = CURRENT_SCHEMA AND table_type = 'BASE TABLE'"
        + " AND STARTS_WITH(table_name, '" + name + "')");
    for (String table : tables.lines().toList()) {
      rows += Long.parseLong(server.execute("SELECT COUNT(*) FROM " + table));
      bytes += Long.parseLong(
          server.execute("SELECT PG_TOTAL_RELATION_SIZE('" + table + "'::regclass)"));
    }
    return new Footprint(rows, bytes);
  }

  @Override
  public void close() {}
}
