package dev.interlock.testservers;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.util.EnumSet;
import java.util.Set;

/** What the kit may do to a MySQL server: much to one of our own, nothing to a given one. */
public final class MysqlFaults implements TckServer {
  private final MysqlServer server;
  private final String tablePrefix;

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
        ? EnumSet.of(TckFault.PAUSE, TckFault.RESTART, TckFault.LOSE_STATE, TckFault.CLOSE_CLIENTS)
        : EnumSet.noneOf(TckFault.class);
  }

  @Override
  public void heal() {
    if (server.isControllable()) {
      server.resume();
      server.start();
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
}
