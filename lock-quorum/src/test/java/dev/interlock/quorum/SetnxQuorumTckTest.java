package dev.interlock.quorum;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over three Redis servers. */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class SetnxQuorumTckTest extends QuorumTckTest {
  SetnxQuorumTckTest() {
    super("redis-setnx", "redis-setnx", "redis-setnx");
  }
}
