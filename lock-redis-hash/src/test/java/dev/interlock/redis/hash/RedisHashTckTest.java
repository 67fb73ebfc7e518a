package dev.interlock.redis.hash;

import dev.interlock.redis.hash.internal.connection.TopologyRules;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of SPEC.md. */
class RedisHashTckTest extends LockTck {
  private static RedisServer server;

  @BeforeAll
  static void startServer() {
    server = TestRedis.builder().owned().start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected TckBackend backend() {
    return TckBackend.at(server.uri("redis-hash"))
        .inspectWith(RedisHashTckTest::isLocked)
        .countWith(() -> Long.parseLong(server.command("DBSIZE")))
        .faults(RedisFaults.of(server))
        .timeScale(2.0); // a build shares its machine with other work
  }

  private static boolean isLocked(String name) {
    return server
        .command("EVAL", TopologyRules.HOLDS, "1", Topologies.key(name))
        .equals("1");
  }
}
