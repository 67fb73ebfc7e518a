package dev.interlock.postgres.internal.connection;

import com.zaxxer.hikari.HikariConfig;
import dev.interlock.LockConfig;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Permits;
import dev.interlock.sql.support.Pool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A pool of this client's own. Attempts together use two connections less than there are, so that a
 * release or a renewal always finds one. Thread-safe.
 */
public final class OwnPool implements Connections {
  private static final int KEPT_FOR_URGENT = 2;

  private final Opener opener;
  private final Pool pool;
  private final Permits attempts;

  public OwnPool(Opener opener, LockConfig config, String clientId) {
    this.opener = opener;
    int size = config.get(PostgresOptions.POOL_SIZE);
    Duration patience = config.get(PostgresOptions.CONNECT_TIMEOUT);
    this.attempts = new Permits(size, patience);
    HikariConfig hikari = new HikariConfig();
    hikari.setPoolName("interlock-" + clientId);
    hikari.setMaximumPoolSize(size + KEPT_FOR_URGENT);
    hikari.setMinimumIdle(KEPT_FOR_URGENT);
    hikari.setMaxLifetime(0); // the server ends none by itself
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
