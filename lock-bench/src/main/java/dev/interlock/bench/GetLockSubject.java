package dev.interlock.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The server's own {@code GET_LOCK}: a connection for each holder and each waiter, not durable. */
final class GetLockSubject implements SubjectClient {
  private final MysqlPool pool;

  private GetLockSubject(MysqlPool pool) {
    this.pool = pool;
  }

  static GetLockSubject open(ServerAddress server, int threads) {
    return new GetLockSubject(MysqlPool.open(server, threads));
  }

  @Override
  public SectionLock lock(String name) {
    return new ServerLock(name);
  }

  @Override
  public void close() {
    pool.close();
  }

  private final class ServerLock implements SectionLock {
    private final String name;
    private @Nullable Connection holder;

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
        call(connection, "SELECT RELEASE_LOCK(?)");
      } catch (SQLException e) {
        throw new IllegalStateException(e.getMessage(), e);
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
