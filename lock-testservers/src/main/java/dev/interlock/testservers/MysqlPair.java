package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.Readiness;

/**
 * A MariaDB server and a replica of it, which is read-only until it is promoted. MySQL has other
 * words for it.
 */
record MysqlPair(DatabaseServer primary, DatabaseServer standby) implements DatabasePair {
  private static final String SYNCHRONOUS = "rpl_semi_sync_master_enabled";

  private static final int FOR_EVER_MILLIS = 3_600_000;

  /** Rows that follow what was committed before, so that one looks for nothing else. */
  private static final String MARKS = "replication_marks";

  /** Starts both, and waits until the replica follows. */
  static DatabasePair start() {
    MysqlServer primary = builder("1").start();
    MysqlServer standby = null;
    try {
      standby = builder("2").start();
      standby.execute("SET GLOBAL read_only = ON");
      primary.execute("CREATE TABLE " + MARKS + " (mark BIGINT PRIMARY KEY)");
      // From the first change on, those of an empty server's start included: it repeats none.
      standby.execute("CHANGE MASTER TO MASTER_HOST='" + primary.host() + "', MASTER_PORT="
          + primary.port() + ", MASTER_USER='" + primary.user() + "', MASTER_PASSWORD='"
          + primary.password() + "', MASTER_SSL=0, MASTER_SSL_VERIFY_SERVER_CERT=0");
      standby.execute("START REPLICA");
      MysqlPair pair = new MysqlPair(primary, standby);
      pair.awaitReplicated();
      return pair;
    } catch (RuntimeException e) {
      if (standby != null) {
        standby.close();
      }
      primary.close();
      throw e;
    }
  }

  private static MysqlServerBuilder builder(String id) {
    return TestMysql.builder()
        .asMariaDbProcess()
        .option("server-id", id)
        .option("log-bin", "changes")
        // Otherwise a crash may lose what was confirmed, without any fail-over.
        .option("sync-binlog", "1");
  }

  @Override
  public void awaitReplicated() {
    String mark = Long.toString(System.nanoTime());
    primary().execute("INSERT INTO " + MARKS + " VALUES (" + mark + ")");
    Readiness.await(
        "the replica has what was committed",
        () -> standby()
            .execute("SELECT mark FROM " + MARKS + " WHERE mark = " + mark)
            .equals(mark),
        () -> standby().execute("SHOW REPLICA STATUS"));
  }

  @Override
  public void cutOff() {
    standby().execute("STOP REPLICA IO_THREAD");
  }

  @Override
  public String synchronous(boolean on) {
    if (on) {
      // Nobody sees a change before the replica has it, and no time-out lets it go without.
      primary().execute("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC");
      primary().execute("SET GLOBAL rpl_semi_sync_master_timeout = " + FOR_EVER_MILLIS);
      primary().execute("SET GLOBAL " + SYNCHRONOUS + " = ON");
      standby().execute("SET GLOBAL rpl_semi_sync_slave_enabled = ON");
      // It is said when the link is made.
      standby().execute("STOP REPLICA IO_THREAD");
      standby().execute("START REPLICA IO_THREAD");
      Readiness.await(
          "the replica confirms changes",
          () -> status("Rpl_semi_sync_master_clients").endsWith("\t1"),
          () -> status("Rpl_semi_sync_master%"));
    } else {
      primary().execute("SET GLOBAL " + SYNCHRONOUS + " = OFF");
    }
    return SYNCHRONOUS + "=ON";
  }

  private String status(String pattern) {
    return primary().execute("SHOW GLOBAL STATUS LIKE '" + pattern + "'");
  }

  /** What it has received is in its tables since {@link #awaitReplicated}. */
  @Override
  public void promote() {
    standby().execute("STOP REPLICA");
    standby().execute("SET GLOBAL read_only = OFF");
  }
}
