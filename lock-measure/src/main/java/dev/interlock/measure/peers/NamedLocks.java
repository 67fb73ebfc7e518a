package dev.interlock.measure.peers;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.SqlPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The server's own locks, {@code GET_LOCK} of MySQL and advisory locks of PostgreSQL: a connection
 * for each holder and each waiter. They write nothing themselves. With a durable update before each
 * release they show what a hand-off costs at least whose outcome is on disk before anyone hears of
 * it.
 */
public final class NamedLocks implements SectionClient {
  private static final String TABLE = PeerTables.PREFIX + "named_lock";

  private final SqlPool pool;
  private final boolean durable;

  /**
   * Connects.
   *
   * @param connections one for each thread
   * @param durable whether each release writes to the disk first
   */
  public NamedLocks(ServerAddress server, int connections, boolean durable) {
    this.pool = SqlPool.open(server, connections);
    this.durable = durable;
    if (durable) {
      pool.holders(TABLE);
    }
  }

  @Override
  public SectionLock lock(String name) {
    if (durable) {
      pool.addHolder(TABLE, name);
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
        call(
            holder,
            pool.kind() == ServerKind.MYSQL
                ? "SELECT GET_LOCK(?, 3600)"
                : "SELECT 1 FROM PG_ADVISORY_LOCK(HASHTEXTEXTENDED(?, 0))");
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
        call(
            connection,
            pool.kind() == ServerKind.MYSQL
                ? "SELECT RELEASE_LOCK(?)"
                : "SELECT PG_ADVISORY_UNLOCK(HASHTEXTEXTENDED(?, 0))::INT");
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
