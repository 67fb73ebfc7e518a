package dev.interlock.redis.setnx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of SPEC.md. */
class RedisSetnxTckTest extends LockTck {
  private static final KeyLayout LAYOUT = new KeyLayout("interlock");
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
    return TckBackend.at(server.uri("redis-setnx"))
        .inspectWith(RedisSetnxTckTest::isLocked)
        .countWith(() -> Long.parseLong(server.command("DBSIZE")))
        .faults(RedisFaults.of(server))
        .timeScale(2.0); // a build shares its machine with other work
  }

  private static boolean isLocked(String name) {
    String key = new String(LAYOUT.keys(name).lock(), UTF_8);
    return server.command("EXISTS", key).equals("1");
  }
}
