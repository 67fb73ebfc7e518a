package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.KilledHoldersContract;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits and readers' locks of JVMs that are killed. */
@Tag("thorough")
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

  @Test
  void aJvmThatWaitsForAServerEndsWithItsParent() throws Exception {
    assertThat(endsWithItsParent("redis-hash://127.0.0.1:1")).isTrue();
  }
}
