package dev.interlock.quorum;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over three PostgreSQL servers. */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class PostgresQuorumTckTest extends QuorumTckTest {
  PostgresQuorumTckTest() {
    super("postgres", "postgres", "postgres");
  }
}
