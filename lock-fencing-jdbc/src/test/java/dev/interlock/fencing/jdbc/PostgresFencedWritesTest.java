package dev.interlock.fencing.jdbc;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestPostgres;

class PostgresFencedWritesTest extends FencedWritesContract {
  private static final DatabaseServer SERVER = TestPostgres.start();

  @Override
  DatabaseServer server() {
    return SERVER;
  }
}
