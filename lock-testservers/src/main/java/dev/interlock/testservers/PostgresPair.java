package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.Readiness;

/** A PostgreSQL server and a hot standby, which is fed by streaming replication. */
record PostgresPair(DatabaseServer primary, DatabaseServer standby) implements DatabasePair {
  private static final String SYNCHRONOUS = "synchronous_standby_names";

  /** Starts both, and waits until the standby follows. */
  static DatabasePair start() {
    PostgresServer primary = builder().start();
    PostgresServer standby = null;
    try {
      // A primary has no use for it, and a copy of its directory finds it.
      primary.execute("ALTER SYSTEM SET primary_conninfo = 'host=" + primary.host() + " port="
          + primary.port() + " user=" + primary.user() + " password=" + primary.password() + "'");
      String data = primary.execute("SHOW data_directory");
      primary.stop();
      standby = builder()
          .standbyOf(data)
          // It looks for its primary every 5 s otherwise, which is not up yet.
          .option("wal_retrieve_retry_interval", "100ms")
          .start();
      primary.start();
      PostgresPair pair = new PostgresPair(primary, standby);
      Readiness.await("the standby follows", pair::isFed, () -> "it is not fed");
      return pair;
    } catch (RuntimeException e) {
      if (standby != null) {
        standby.close();
      }
      primary.close();
      throw e;
    }
  }

  private static PostgresServerBuilder builder() {
    return TestPostgres.builder().asProcess();
  }

  @Override
  public void awaitReplicated() {
    String written = primary().execute("SELECT PG_CURRENT_WAL_LSN()");
    Readiness.await(
        "the standby shows what was committed",
        () -> is(standby(), "PG_LAST_WAL_REPLAY_LSN() >= '" + written + "'"),
        () -> written + " was written, " + standby().execute("SELECT PG_LAST_WAL_REPLAY_LSN()"));
  }

  @Override
  public void cutOff() {
    set(standby(), "primary_conninfo = ''");
    Readiness.await("the standby is cut off", () -> !isFed(), () -> "it is fed");
  }

  @Override
  public String synchronous(boolean on) {
    String standbys = on ? "*" : "";
    set(primary(), SYNCHRONOUS + " = '" + standbys + "'");
    Readiness.await(
        "the primary knows for whom to wait",
        () -> primary().execute("SHOW " + SYNCHRONOUS).equals(standbys),
        () -> primary().execute("SHOW " + SYNCHRONOUS));
    return SYNCHRONOUS + "='*'";
  }

  @Override
  public void promote() {
    standby().execute("SELECT PG_PROMOTE(false)");
    Readiness.await(
        "the standby takes writes",
        () -> is(standby(), "NOT PG_IS_IN_RECOVERY()"),
        () -> "it is in recovery");
  }

  private boolean isFed() {
    return is(standby(), "EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')");
  }

  private static void set(DatabaseServer server, String setting) {
    server.execute("ALTER SYSTEM SET " + setting);
    server.execute("SELECT PG_RELOAD_CONF()");
  }

  private static boolean is(DatabaseServer server, String condition) {
    return server.execute("SELECT " + condition).equals("t");
  }
}
