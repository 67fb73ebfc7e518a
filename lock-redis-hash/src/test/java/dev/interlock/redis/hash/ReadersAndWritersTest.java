package dev.interlock.redis.hash;

import dev.interlock.contract.ReadersAndWritersContract;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A long queue of readers and writers, as two applications make it. */
class ReadersAndWritersTest extends ReadersAndWritersContract {
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
