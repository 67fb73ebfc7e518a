package dev.interlock.testservers;

/**
 * What the kit may do to a MySQL server: much to one of our own, nothing to a given one. For one
 * thread at a time.
 */
public final class MysqlFaults extends DatabaseFaults {
  /**
   * How many changes are still to fail: a setting from 0 to 7 that means nothing to locks. No table
   * would do. One whose changes a rollback leaves alone is locked as a whole by each statement that
   * may meet the trigger, before the statement waits for a row of which the owner then needs it.
   */
  private static final String ORDERS = "default_week_format";

  private static final String TRIGGER = "ordered_deadlock";

  private static final String NO_ROOM = "no_room_for_";

  private boolean ordering;

  private MysqlFaults(MysqlServer server, String tablePrefix) {
    super(server, tablePrefix);
  }

  /**
   * Offers the faults of a server that nothing else uses during the run.
   *
   * @param tablePrefix how the names of the provider's tables begin
   */
  public static MysqlFaults of(MysqlServer server, String tablePrefix) {
    return new MysqlFaults(server, tablePrefix);
  }

  @Override
  void undo() {
    if (ordering) {
      server.execute("DROP TRIGGER IF EXISTS " + TRIGGER);
      server.execute("SET GLOBAL " + ORDERS + " = 0");
      ordering = false;
    }
  }

  @Override
  public void loseState() {
    String tables = server.execute("SELECT table_name FROM information_schema.tables"
        + " WHERE table_schema = DATABASE() AND LEFT(table_name, " + tablePrefix.length() + ") = '"
        + tablePrefix + "'");
    tables
        .lines()
        .map(String::strip)
        .filter(table -> !table.isEmpty())
        .forEach(table -> server.execute("DELETE FROM " + table));
  }

  @Override
  public void closeClients() {
    String ids = server.execute("SELECT id FROM information_schema.processlist"
        + " WHERE id <> CONNECTION_ID() AND command <> 'Daemon'");
    ids.lines().map(String::strip).filter(id -> !id.isEmpty()).forEach(this::close);
  }

  private void close(String id) {
    try {
      server.execute("KILL " + id);
    } catch (TestServerException e) {
      // It has gone by itself meanwhile.
    }
  }

  /**
   * The next three changes of a lock's row are answered as if they had met a deadlock: more than
   * the engine's own repetition of an attempt makes up for.
   *
   * @return whether the order before this one was carried out
   */
  @Override
  public boolean disturb() {
    boolean first = !ordering;
    if (first) {
      prepareOrders();
      ordering = true;
    }
    boolean pending = !server.execute("SELECT @@GLOBAL." + ORDERS).strip().equals("0");
    server.execute("SET GLOBAL " + ORDERS + " = 3");
    return !first && !pending;
  }

  @Override
  void refuseRows(boolean on) {
    for (String table : TABLES) {
      server.execute(
          on
              ? "CREATE TRIGGER " + NO_ROOM + table + " AFTER INSERT ON " + tablePrefix + table
                  + " FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114,"
                  + " MESSAGE_TEXT = 'The table is full, as ordered by the kit'"
              : "DROP TRIGGER IF EXISTS " + NO_ROOM + table);
    }
  }

  @Override
  String isOf(String name) {
    return "lock_key LIKE '%:" + name + "'";
  }

  @Override
  String more() {
    return "owner = X'FF00FE', host = X'FF00FE', shared = 9, last_heir = -1";
  }

  private void prepareOrders() {
    server.execute("SET GLOBAL " + ORDERS + " = 0");
    server.execute("CREATE TRIGGER IF NOT EXISTS " + TRIGGER + " BEFORE UPDATE ON " + tablePrefix
        + "lock FOR EACH ROW BEGIN IF @@GLOBAL." + ORDERS + " > 0 THEN SET GLOBAL " + ORDERS
        + " = @@GLOBAL." + ORDERS + " - 1; SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213,"
        + " MESSAGE_TEXT = 'Deadlock ordered by the kit'; END IF; END");
  }
}
