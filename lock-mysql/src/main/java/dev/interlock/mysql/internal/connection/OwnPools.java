package dev.interlock.mysql.internal.connection;

import com.zaxxer.hikari.HikariConfig;
import dev.interlock.LockConfig;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Permits;
import dev.interlock.sql.support.Pool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pools of this client's own: one for attempts, one for what frees and keeps locks. The second
 * grows as large as the first, since under load there are as many releases as attempts, but keeps
 * only two connections open. A release uses a connection for attempts if one is idle at that
 * moment, which is most often the one that its thread has just used: the server's thread and the
 * socket then are still warm, and an uncontended cycle is about a tenth faster. It never waits for
 * one. Thread-safe.
 */
public final class OwnPools implements Connections {
  private static final int KEPT_FOR_URGENT = 2;

  private final Opener opener;
  private final Pool attempts;
  private final Pool urgent;

  // One for each connection that the pool for attempts may open, so whoever has one need not wait.
  private final Permits permits;
  private final Set<Connection> lent = ConcurrentHashMap.newKeySet();

  public OwnPools(LockConfig config, String clientId) {
    this.opener = new Opener(MysqlDriver.servers(config));
    int size = config.get(MysqlOptions.POOL_SIZE);
    Duration patience = config.get(MysqlOptions.CONNECT_TIMEOUT);
    this.permits = new Permits(size, patience);
    Pool first = pool("interlock-" + clientId, opener, patience, size, 1);
    try {
      this.urgent = pool(
          "interlock-urgent-" + clientId,
          opener,
          patience,
          Math.max(size, KEPT_FOR_URGENT),
          KEPT_FOR_URGENT);
    } catch (RuntimeException e) {
      first.close();
      throw e;
    }
    this.attempts = first;
    opener.setPersistent(true);
  }

  private static Pool pool(String name, Opener opener, Duration patience, int size, int idle) {
    HikariConfig hikari = new HikariConfig();
    hikari.setPoolName(name);
    hikari.setMaximumPoolSize(size);
    hikari.setMinimumIdle(idle);
    return new Pool(hikari, opener, patience);
  }

  @Override
  public Connection take(boolean isUrgent) throws SQLException {
    if (!isUrgent) {
      permits.take();
      return permits.lend(attempts::take);
    }
    if (attempts.idle() == 0 || !permits.tryTake()) {
      return urgent.take();
    }
    Connection connection = permits.lend(attempts::take);
    lent.add(connection);
    return connection;
  }

  @Override
  public void giveBack(Connection connection, boolean isUrgent, boolean healthy) {
    boolean isForAttempts = !isUrgent || lent.remove(connection);
    try {
      (isForAttempts ? attempts : urgent).giveBack(connection, healthy);
    } finally {
      if (isForAttempts) {
        permits.giveBack();
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
    attempts.close();
    urgent.close();
  }
}
