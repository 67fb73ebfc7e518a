package dev.interlock.testservers;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What the kit does to every kind of database server. For one thread at a time. */
abstract class DatabaseFaults implements TckServer {
  /** The tables that a lock, or one who waits for it, adds a row to. */
  static final List<String> TABLES = List.of("lock", "entry");

  final DatabaseServer server;
  final String tablePrefix;
  private boolean full;

  DatabaseFaults(DatabaseServer server, String tablePrefix) {
    this.server = server;
    this.tablePrefix = tablePrefix;
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
  public final void heal() {
    if (server.isControllable()) {
      server.resume();
      server.start();
      undo();
      full(false);
    }
  }

  /** Takes back what only this kind of server was made to do. It runs. */
  abstract void undo();

  @Override
  public final void pause() {
    server.pause();
  }

  @Override
  public final void resume() {
    server.resume();
  }

  @Override
  public final void kill() {
    server.kill();
  }

  @Override
  public final void start() {
    server.start();
  }

  /**
   * Refuses new rows, as a table does whose file may not grow; the rows that are there may change.
   */
  @Override
  public final void full(boolean on) {
    if (on != full) {
      full = true; // also if it is half done
      refuseRows(on);
      full = on;
    }
  }

  /**
   * Makes a trigger for each of the {@link #TABLES}, or removes them. It is to fire after an
   * insertion: before it, it would also meet one that becomes a change.
   */
  abstract void refuseRows(boolean on);

  /**
   * The columns have types, so what stands in them can always be read; what is put there is no
   * lock's state. The counters stay as they are: at the end of their range there would be no token,
   * or no place in the queue, for whoever comes next.
   */
  @Override
  public final void spoil(String name) {
    String rows = tablePrefix + "lock";
    String where = " WHERE " + isOf(name);
    server.execute("UPDATE " + rows + " SET client = -1, hold = -1, since_us = -1, until_us = "
        + Long.MAX_VALUE + ", token = -1, tokens = -1, claimant = -1, ticket = -1, " + more()
        + where);
    String spoilt = server.execute("SELECT COUNT(*) FROM " + rows + where + " AND client = -1");
    if (!spoilt.strip().equals("1")) {
      throw new TestServerException("There is no row of the lock '" + name + "' to be spoilt.");
    }
  }

  /** The condition for a lock's row, whatever the namespace. */
  abstract String isOf(String name);

  /** Assignments to the columns that differ: what is no text, and more. */
  abstract String more();
}
