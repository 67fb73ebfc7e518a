package dev.interlock.redis.setnx;

import dev.interlock.contract.DistributedLockContract;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A thread-owned lock behaves as users of ReentrantLock expect. */
class DistributedLockTest extends DistributedLockContract {
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
    return server.uri("redis-setnx");
  }
}
