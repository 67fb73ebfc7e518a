package dev.interlock.redis.watch;

import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of SPEC.md, by a user who may not run scripts. */
class RedisWatchTckTest extends LockTck {
  private static RedisServer server;

  @BeforeAll
  static void startServer() {
    server = TestRedis.builder()
        .owned()
        .user("noscripts", "on", ">pw", "~*", "&*", "+@all", "-@scripting")
        .start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected TckBackend backend() {
    RedisFaults faults = RedisFaults.of(server);
    TckBackend backend = TckBackend.at(
            "redis-watch://noscripts:pw@" + server.host() + ":" + server.port())
        .inspectWith(RedisWatchTckTest::isLocked)
        .countWith(() -> Long.parseLong(server.command("DBSIZE")))
        .faults(faults)
        .timeScale(2.0); // a build shares its machine with other work
    return faults
        .fullMeansNoTransactions()
        .map(why -> backend.waive("E10", why))
        .orElse(backend);
  }

  private static boolean isLocked(String name) {
    return server.command("EXISTS", Topologies.key(name)).equals("1");
  }
}
