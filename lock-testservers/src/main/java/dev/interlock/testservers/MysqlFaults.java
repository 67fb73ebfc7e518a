package dev.interlock.testservers;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the kit may do to a MySQL server: much to one of our own, nothing to a given one. For one
 * thread at a time.
 */
public final class MysqlFaults implements TckServer {
  /**
   * How many changes are still to fail: a setting from 0 to 7 that means nothing to locks. No table
   * would do. One whose changes a rollback leaves alone is locked as a whole by each statement that
   * may meet the trigger, before the statement waits for a row of which the owner then needs it.
   */
  private static final String ORDERS = "default_week_format";

  private static final String TRIGGER = "ordered_deadlock";

  /** The tables that a lock, or one who waits for it, adds a row to. */
  private static final List<String> TABLES = List.of("lock", "entry");

  private static final String NO_ROOM = "no_room_for_";

  private final MysqlServer server;
  private final String tablePrefix;
  private boolean ordering;
  private boolean full;

  private MysqlFaults(MysqlServer server, String tablePrefix) {
    this.server = server;
    this.tablePrefix = tablePrefix;
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
  public Set<TckFault> faults() {
    return server.isControllable()
        ? EnumSet.of(
            TckFault.PAUSE,
            TckFault.RESTART,
            TckFault.LOSE_STATE,
            TckFault.CLOSE_CLIENTS,
            TckFault.DISTURB,
            TckFault.FULL,
            TckFault.SPOIL)
        : EnumSet.noneOf(TckFault.class);
  }

  @Override
  public void heal() {
    if (server.isControllable()) {
      server.resume();
      server.start();
      if (ordering) {
        server.execute("DROP TRIGGER IF EXISTS " + TRIGGER);
        server.execute("SET GLOBAL " + ORDERS + " = 0");
        ordering = false;
      }
      full(false);
    }
  }

  @Override
  public void pause() {
    server.pause();
  }

  @Override
  public void resume() {
    server.resume();
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void start() {
    server.start();
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

  /**
   * Refuses new rows, as a table does whose file may not grow; the rows that are there may change.
   */
  @Override
  public void full(boolean on) {
    if (on == full) {
      return;
    }
    full = on || full; // also if this is half done
    for (String table : TABLES) {
      // After the insertion: before it, the trigger would also meet an insertion that becomes a
      // change.
      server.execute(
          on
              ? "CREATE TRIGGER " + NO_ROOM + table + " AFTER INSERT ON " + tablePrefix + table
                  + " FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114,"
                  + " MESSAGE_TEXT = 'The table is full, as ordered by the kit'"
              : "DROP TRIGGER IF EXISTS " + NO_ROOM + table);
    }
    full = on;
  }

  /**
   * The columns have types, so what stands in them can always be read; what is put there is no
   * lock's state. The counters stay as they are: at the end of their range there would be no token,
   * or no place in the queue, for whoever comes next.
   */
  @Override
  public void spoil(String name) {
    server.execute("UPDATE " + tablePrefix + "lock SET client = -1, hold = -1, owner = X'FF00FE',"
        + " shared = 9, host = X'FF00FE', since_us = -1, until_us = " + Long.MAX_VALUE
        + ", token = -1, tokens = -1, claimant = -1, ticket = -1, last_heir = -1"
        + " WHERE lock_key LIKE '%:" + name + "'");
    requireSpoilt(
        name,
        server.execute("SELECT COUNT(*) FROM " + tablePrefix
            + "lock WHERE client = -1 AND lock_key LIKE '%:" + name + "'"));
  }

  private static void requireSpoilt(String name, String rows) {
    if (!rows.strip().equals("1")) {
      throw new TestServerException("There is no row of the lock '" + name + "' to be spoilt.");
    }
  }

  private void prepareOrders() {
    server.execute("SET GLOBAL " + ORDERS + " = 0");
    server.execute("CREATE TRIGGER IF NOT EXISTS " + TRIGGER + " BEFORE UPDATE ON " + tablePrefix
        + "lock FOR EACH ROW BEGIN IF @@GLOBAL." + ORDERS + " > 0 THEN SET GLOBAL " + ORDERS
        + " = @@GLOBAL." + ORDERS + " - 1; SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213,"
        + " MESSAGE_TEXT = 'Deadlock ordered by the kit'; END IF; END");
  }
}
