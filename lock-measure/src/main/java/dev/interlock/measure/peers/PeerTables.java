package dev.interlock.measure.peers;

import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.SqlPool;

/** The tables that other libraries' locks need in a database. */
public final class PeerTables {
  /** With what their names begin. */
  public static final String PREFIX = "interlock_bench_";

  private PeerTables() {}

  /** Removes them all. */
  public static void drop(ServerAddress server) {
    try (SqlPool pool = SqlPool.open(server, 1)) {
      pool.tables(PREFIX).forEach(table -> pool.update("DROP TABLE IF EXISTS " + table));
    }
  }
}
