package dev.interlock.mysql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Whether the server still has what it has committed once it, or its machine, has crashed. */
final class Durability {
  private static final Logger LOG = System.getLogger(Durability.class.getName());

  private Durability() {}

  /** Warns if the server's settings are such that it may lose locks. */
  static void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit,"
            + " @@GLOBAL.log_bin, @@GLOBAL.sync_binlog")) {
      row.next();
      List<String> risks = risks(row.getLong(1), row.getBoolean(2), row.getLong(3));
      if (!risks.isEmpty()) {
        LOG.log(
            Level.WARNING,
            "{0} may lose locks in a crash, and then grants them while their holders work on: {1}."
                + " The capability DURABLE does not hold there.",
            Schema.server(connection),
            String.join(", ", risks));
      }
    }
  }

  /**
   * Names the settings that are to blame.
   *
   * @param flush innodb_flush_log_at_trx_commit; 3 is MariaDB's, and as good as 1
   * @param binlog whether there is a binary log, which decides what is recovered
   * @param sync sync_binlog
   */
  static List<String> risks(long flush, boolean binlog, long sync) {
    List<String> risks = new ArrayList<>();
    if (flush != 1 && flush != 3) {
      risks.add("innodb_flush_log_at_trx_commit is " + flush + " and not 1");
    }
    if (binlog && sync != 1) {
      risks.add("sync_binlog is " + sync + " and not 1");
    }
    return risks;
  }
}
