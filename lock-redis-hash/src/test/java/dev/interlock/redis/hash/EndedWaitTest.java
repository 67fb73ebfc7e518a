package dev.interlock.redis.hash;

import dev.interlock.contract.EndedWaitContract;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A wait that has ended leaves nothing that the lock could be granted to. */
class EndedWaitTest extends EndedWaitContract {
  private static RedisServer server;

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected String uri() {
    return server.uri("redis-hash");
  }
}
