package dev.interlock.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A connection pool to MySQL or MariaDB, with the statements that floor and peers need. */
final class MysqlPool implements AutoCloseable {
  private final HikariDataSource source;

  private MysqlPool(HikariDataSource source) {
    this.source = source;
  }

  /**
   * Connects.
   *
   * @param connections the pool's size
   * @throws RuntimeException if the server does not answer, or refuses
   */
  static MysqlPool open(ServerAddress server, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:mysql://" + server.host() + ":" + server.port() + "/" + server.database());
    server.user().ifPresent(config::setUsername);
    server.password().ifPresent(config::setPassword);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    return new MysqlPool(new HikariDataSource(config));
  }

  HikariDataSource source() {
    return source;
  }

  /** Runs an update in a transaction of its own and returns the number of rows it changed. */
  int update(String sql, Object... arguments) {
    try (Connection connection = source.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
