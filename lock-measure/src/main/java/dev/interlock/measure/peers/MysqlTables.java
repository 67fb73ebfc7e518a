package dev.interlock.measure.peers;

import dev.interlock.measure.server.MysqlPool;
import dev.interlock.measure.server.ServerAddress;

/** The tables that other libraries' locks need on MySQL and MariaDB. */
public final class MysqlTables {
  /** With what their names begin. */
  public static final String PREFIX = "interlock_bench_";

  private MysqlTables() {}

  /** Removes them all. */
  public static void drop(ServerAddress server) {
    try (MysqlPool pool = MysqlPool.open(server, 1)) {
      pool.tables(PREFIX).forEach(table -> pool.update("DROP TABLE IF EXISTS " + table));
    }
  }
}
