package dev.interlock.sql.support;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A pool of this client's own. Attempts together use fewer connections than there are, so that a
 * release or a renewal always finds one. Thread-safe.
 */
public final class OwnPool implements Connections {
  private static final int KEPT = 2;

  private final Opener opener;
  private final Pool pool;
  private final Permits attempts;

  /**
   * Opens none yet.
   *
   * @param opener opens the connections
   * @param client the client's id
   * @param size how many connections attempts may use
   * @param more how many there may be besides
   * @param patience how long to wait for one
   */
  public OwnPool(Opener opener, String client, int size, int more, Duration patience) {
    this.opener = opener;
    this.attempts = new Permits(size, patience);
    HikariConfig hikari = new HikariConfig();
    hikari.setPoolName("interlock-" + client);
    hikari.setMaximumPoolSize(size + more);
    hikari.setMinimumIdle(KEPT);
    hikari.setMaxLifetime(0); // one that the server has ended is found out
    hikari.setInitializationFailTimeout(-1);
    this.pool = new Pool(hikari, opener, patience);
    opener.setPersistent(true);
  }

  @Override
  public Connection take(boolean urgent) throws SQLException {
    if (urgent) {
      return pool.take();
    }
    attempts.take();
    return attempts.lend(pool::take);
  }

  @Override
  public void giveBack(Connection connection, boolean urgent, boolean healthy) {
    try {
      pool.giveBack(connection, healthy);
    } finally {
      if (!urgent) {
        attempts.giveBack();
      }
    }
  }

  @Override
  public Connection listener() throws SQLException {
    return opener.open();
  }

  @Override
  public void endListener(Connection connection) throws SQLException {
    connection.close();
  }

  @Override
  public void close() {
    opener.setPersistent(false);
    pool.close();
  }
}
