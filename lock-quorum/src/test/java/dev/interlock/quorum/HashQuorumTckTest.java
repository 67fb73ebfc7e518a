package dev.interlock.quorum;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over three Redis servers, with their queues. */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class HashQuorumTckTest extends QuorumTckTest {
  HashQuorumTckTest() {
    super("redis-hash", "redis-hash", "redis-hash");
  }
}
