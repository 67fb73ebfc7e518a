package dev.interlock.bench;

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
final class GetLockSubject implements SubjectClient {
  private final MysqlPool pool;
  private final boolean durable;

  private GetLockSubject(MysqlPool pool, boolean durable) {
    this.pool = pool;
    this.durable = durable;
  }

  static GetLockSubject open(ServerAddress server, int threads) {
    return new GetLockSubject(MysqlPool.open(server, threads), false);
  }

  static GetLockSubject openDurable(ServerAddress server, int threads) {
    return new GetLockSubject(MysqlPool.open(server, threads), true);
  }

  @Override
  public SectionLock lock(String name) {
    if (durable) {
      pool.update("INSERT IGNORE INTO " + MysqlFloor.TABLE + " (name) VALUES (?)", name);
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
      try (PreparedStatement statement = connection.prepareStatement(
          "UPDATE " + MysqlFloor.TABLE + " SET holder = ? WHERE name = ?")) {
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
