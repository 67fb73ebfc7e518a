package dev.interlock.fencing.jdbc;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestMysql;

class MysqlFencedWritesTest extends FencedWritesContract {
  private static final DatabaseServer SERVER = TestMysql.start();

  @Override
  DatabaseServer server() {
    return SERVER;
  }
}
