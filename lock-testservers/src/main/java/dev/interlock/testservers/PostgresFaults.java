package dev.interlock.testservers;

import dev.interlock.tck.TckFault;
import java.time.Duration;
import java.util.Set;

/**
 * What the kit may do to a PostgreSQL server: much to one of our own, nothing to a given one. For
 * one thread at a time.
 */
public final class PostgresFaults extends DatabaseFaults {
  /**
   * Counts the changes that are still to fail. A sequence, because a rollback leaves it as it is.
   */
  private static final String ORDERS = "ordered_failures";

  private static final int ORDERED = 3;

  private static final String NO_ROOM = "no_room";
  private static final Duration TAKES_EFFECT = Duration.ofSeconds(10);

  private boolean ordering;

  private PostgresFaults(PostgresServer server, String tablePrefix) {
    super(server, tablePrefix);
  }

  /**
   * Offers the faults of a server that nothing else uses during the run.
   *
   * @param tablePrefix how the names of the provider's tables begin
   */
  public static PostgresFaults of(PostgresServer server, String tablePrefix) {
    return new PostgresFaults(server, tablePrefix);
  }

  @Override
  public Set<TckFault> faults() {
    Set<TckFault> faults = super.faults();
    if (server.isControllable()) {
      faults.add(TckFault.READ_ONLY);
    }
    return faults;
  }

  @Override
  void undo() {
    readOnly(false);
    if (ordering) {
      server.execute("DROP SEQUENCE IF EXISTS " + ORDERS + " CASCADE");
      server.execute("DROP FUNCTION IF EXISTS " + ORDERS + "_fail CASCADE");
      ordering = false;
    }
  }

  @Override
  public void loseState() {
    server
        .execute("SELECT table_name FROM information_schema.tables"
            + " WHERE table_schema = CURRENT_SCHEMA AND table_type = 'BASE TABLE'"
            + " AND STARTS_WITH(table_name, '" + tablePrefix + "')")
        .lines()
        .forEach(table -> server.execute("DELETE FROM " + table));
  }

  @Override
  public void closeClients() {
    server.execute("SELECT PG_TERMINATE_BACKEND(pid) FROM pg_stat_activity"
        + " WHERE backend_type = 'client backend' AND pid <> PG_BACKEND_PID()");
  }

  /** As a replica does: the sessions that there are refuse as well. */
  @Override
  public void readOnly(boolean on) {
    String state = on ? "on" : "off";
    // A read-only transaction may change this setting.
    server.execute("ALTER SYSTEM SET default_transaction_read_only = " + state);
    server.execute("SELECT PG_RELOAD_CONF()");
    long start = System.nanoTime();
    while (!server.execute("SHOW default_transaction_read_only").strip().equals(state)) {
      if (System.nanoTime() - start > TAKES_EFFECT.toNanos()) {
        throw new TestServerException("default_transaction_read_only is not " + state + " yet.");
      }
    }
    // The server opens this session once it has told all others, which look before their next
    // command.
    server.execute("SELECT 1");
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
    // The row is read before SETVAL writes it. In one statement, for each needs a new connection.
    boolean carriedOut = server
        .execute("SELECT last_value > " + ORDERED + ", SETVAL('" + ORDERS + "', 1) FROM " + ORDERS)
        .startsWith("t");
    return !first && carriedOut;
  }

  @Override
  void refuseRows(boolean on) {
    if (on) {
      server.execute("CREATE OR REPLACE FUNCTION " + NO_ROOM + "() RETURNS trigger LANGUAGE plpgsql"
          + " AS $$BEGIN RAISE disk_full USING MESSAGE = 'No room, as ordered by the kit'; END$$");
      for (String table : TABLES) {
        server.execute("CREATE TRIGGER " + NO_ROOM + " AFTER INSERT ON " + tablePrefix + table
            + " FOR EACH ROW EXECUTE FUNCTION " + NO_ROOM + "()");
      }
    } else {
      server.execute("DROP FUNCTION IF EXISTS " + NO_ROOM + " CASCADE");
    }
  }

  @Override
  String isOf(String name) {
    return "lock_key LIKE CONVERT_TO('%:" + name + "', 'UTF8')";
  }

  @Override
  String more() {
    return "owner = '\\xFF00FE', host = '\\xFF00FE', shared = true";
  }

  private void prepareOrders() {
    server.execute("CREATE SEQUENCE IF NOT EXISTS " + ORDERS);
    server.execute("SELECT SETVAL('" + ORDERS + "', " + (ORDERED + 1) + ")");
    server.execute("CREATE OR REPLACE FUNCTION " + ORDERS + "_fail() RETURNS trigger"
        + " LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN"
        + " IF (SELECT last_value FROM " + ORDERS + ") <= " + ORDERED + " THEN"
        + " PERFORM NEXTVAL('" + ORDERS + "');"
        + " RAISE deadlock_detected USING MESSAGE = 'Deadlock ordered by the kit'; END IF;"
        + " IF tg_op = 'DELETE' THEN RETURN old; END IF; RETURN new; END$$");
    server.execute("CREATE OR REPLACE TRIGGER " + ORDERS + "_fail"
        + " BEFORE INSERT OR UPDATE OR DELETE ON " + tablePrefix + "lock"
        + " FOR EACH ROW EXECUTE FUNCTION " + ORDERS + "_fail()");
  }
}
