package dev.interlock.quorum;

/** Over three Redis servers, with their queues. Every build runs the rules that its pom names. */
class HashQuorumTckTest extends QuorumTckTest {
  HashQuorumTckTest() {
    super("redis-hash", "redis-hash", "redis-hash");
  }
}
