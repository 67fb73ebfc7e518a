package dev.interlock.compare;

import dev.interlock.testservers.MysqlServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Asks a MySQL or MariaDB server over connections of its own. */
final class MysqlProbe implements ServerProbe {
  private final MysqlServer server;
  private final String prefix;
  private final AtomicLong own = new AtomicLong();
  private final long costOfAsking;

  /** To be made while nobody else uses the server: it finds out what asking costs. */
  MysqlProbe(MysqlServer server, String prefix) {
    this.server = server;
    this.prefix = prefix;
    questions();
    long before = questions();
    this.costOfAsking = questions() - before;
  }

  @Override
  public long commands() {
    return questions() - own.addAndGet(costOfAsking);
  }

  private long questions() {
    String answer = server.execute("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Long.parseLong(answer.substring(answer.indexOf('\t') + 1).strip());
  }

  /** Rows are counted; bytes are the pages of the tables, the smallest unit that there is. */
  @Override
  public Footprint footprint() {
    long rows = 0;
    long bytes = 0;
    for (String table : tables()) {
      rows += number("SELECT COUNT(*) FROM " + table);
      bytes += number(
          // The hint is for MySQL, which would answer from yesterday's statistics otherwise.
          "SELECT /*+ SET_VAR(information_schema_stats_expiry=0) */ data_length + index_length"
              + " FROM information_schema.tables WHERE table_schema = DATABASE()"
              + " AND table_name = '" + table + "'");
    }
    return new Footprint(rows, bytes);
  }

  private List<String> tables() {
    return server
        .execute("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
            + " AND table_name LIKE '" + prefix.replace("_", "\\_") + "%'")
        .lines()
        .toList();
  }

  private long number(String query) {
    return Long.parseLong(server.execute(query).strip());
  }
}
