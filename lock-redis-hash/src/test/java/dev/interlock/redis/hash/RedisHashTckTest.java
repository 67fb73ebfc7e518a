package dev.interlock.redis.hash;

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
class RedisHashTckTest extends LockTck {
  private static final KeyLayout LAYOUT = new KeyLayout("interlock");

  /** Looks for a hold whose time is not over; the key is there also while somebody only waits. */
  private static final String HOLDS = """
      local header = redis.call('HGET', KEYS[1], '*')
      if header and string.sub(header, 1, 1) == 'h' then
        return 1 -- held once, and the key lives no longer than that
      end
      local time = redis.call('TIME')
      for _, hold in ipairs(header and cmsgpack.unpack(header).h or {}) do
        if hold[2] > time[1] * 1000000 + time[2] then
          return 1
        end
      end
      return 0
      """;

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
    String key = new String(LAYOUT.keys(name).lock(), UTF_8);
    return server.command("EVAL", HOLDS, "1", key).equals("1");
  }
}
