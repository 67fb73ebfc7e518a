package dev.interlock.redis.hash;

import dev.interlock.contract.KilledHoldersContract;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Permits and readers' locks of JVMs that are killed. */
class KilledHoldersTest extends KilledHoldersContract {
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
    return server.uri("redis-hash") + "?namespace=killed";
  }
}
