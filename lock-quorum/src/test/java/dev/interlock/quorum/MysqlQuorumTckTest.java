package dev.interlock.quorum;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over three MySQL or MariaDB servers. */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class MysqlQuorumTckTest extends QuorumTckTest {
  MysqlQuorumTckTest() {
    super("mysql", "mysql", "mysql");
  }
}
