package dev.interlock.quorum;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over servers of three kinds. */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class MixedQuorumTckTest extends QuorumTckTest {
  MixedQuorumTckTest() {
    super("redis-hash", "mysql", "postgres");
  }
}
