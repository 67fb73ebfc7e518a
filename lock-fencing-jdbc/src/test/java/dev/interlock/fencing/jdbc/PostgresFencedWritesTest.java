package dev.interlock.fencing.jdbc;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

class PostgresFencedWritesTest extends FencedWritesContract {
  private static final DatabaseServer SERVER = TestPostgres.start();

  @Override
  Connection open() throws SQLException {
    return DriverManager.getConnection(SERVER.jdbcUrl(), SERVER.user(), SERVER.password());
  }

  @Override
  String version() {
    return SERVER.version();
  }

  @Override
  String lockUri() {
    return SERVER.uri() + "?schema=create&poolSize=2";
  }
}
