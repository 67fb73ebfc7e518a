package dev.interlock.measure.peers;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.MysqlPool;
import dev.interlock.measure.server.ServerAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The server's own {@code GET_LOCK}: a connection for each holder and each waiter. It writes
 * nothing itself. With a durable update before each release it shows what a hand-off costs at least
 * whose outcome is on disk before anyone hears of it.
 */
public final class GetLocks implements SectionClient {
  private static final String TABLE = MysqlTables.PREFIX + "get_lock";

  private final MysqlPool pool;
  private final boolean durable;

  /**
   * Connects.
   *
   * @param connections one for each thread
   * @param durable whether each release writes to the disk first
   */
  public GetLocks(ServerAddress server, int connections, boolean durable) {
    this.pool = MysqlPool.open(server, connections);
    this.durable = durable;
    if (durable) {
      pool.update("CREATE TABLE IF NOT EXISTS " + TABLE
          + " (name VARCHAR(100) PRIMARY KEY, holder VARCHAR(100))");
    }
  }

  @Override
  public SectionLock lock(String name) {
    if (durable) {
      pool.update("INSERT IGNORE INTO " + TABLE + " (name) VALUES (?)", name);
    }
    return new ServerLock(name);
  }

  @Override
  public void close() {
    pool.close();
  }

  private final class ServerLock implements SectionLock {
    private final String name;
    private @Nullable Connection holder;
    private final String prefix = UUID.randomUUID() + ":";
    private long releases;

    ServerLock(String name) {
      this.name = name;
    }

    @Override
    public void lock() {
      try {
        holder = pool.source().getConnection();
        call(holder, "SELECT GET_LOCK(?, 3600)");
      } catch (SQLException e) {
        throw new IllegalStateException(e.getMessage(), e);
      }
    }

    @Override
    public void unlock() {
      try (Connection connection = Objects.requireNonNull(holder)) {
        if (durable) {
          write(connection);
        }
        call(connection, "SELECT RELEASE_LOCK(?)");
      } catch (SQLException e) {
        throw new IllegalStateException(e.getMessage(), e);
      }
    }

    private void write(Connection connection) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("UPDATE " + TABLE + " SET holder = ? WHERE name = ?")) {
        statement.setString(1, prefix + releases++);
        statement.setString(2, name);
        if (statement.executeUpdate() != 1) {
          throw new IllegalStateException("the row to update is gone");
        }
      }
    }

    private void call(Connection connection, String sql) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, name);
        try (ResultSet result = statement.executeQuery()) {
          if (!result.next() || result.getInt(1) != 1) {
            throw new IllegalStateException(sql + " was refused");
          }
        }
      }
    }
  }
}
