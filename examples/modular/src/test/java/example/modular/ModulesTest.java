package example.modular;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.LockClient;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.fencing.jdbc.FencedWrites;
import dev.interlock.local.LocalLocks;
import dev.interlock.mysql.MysqlLocks;
import dev.interlock.postgres.PostgresLocks;
import dev.interlock.quorum.QuorumLocks;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.setnx.RedisSetnxLocks;
import dev.interlock.redis.watch.RedisWatchLocks;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

class ModulesTest {

  @Test
  void each_jar_is_the_module_that_it_is_named() {
    assertEquals("example.modular", Counter.class.getModule().getName());
    Stream.of(
            Locks.class,
            LocalLocks.class,
            RedisSetnxLocks.class,
            RedisWatchLocks.class,
            RedisHashLocks.class,
            MysqlLocks.class,
            PostgresLocks.class,
            QuorumLocks.class,
            FencedWrites.class)
        .forEach(type -> assertTrue(
            ModulesTest.class.getModule().getDescriptor().requires().stream()
                .anyMatch(required -> required.name().equals(type.getModule().getName())),
            () -> type + " is in " + type.getModule()));
  }

  @Test
  void the_providers_of_all_modules_are_found() {
    String message = assertThrows(
            LockProviderNotFoundException.class, () -> Locks.open("none://"))
        .getMessage();
    for (String id : new String[] {
      "local", "redis-setnx", "redis-watch", "redis-hash", "mysql", "postgres", "quorum"
    }) {
      assertTrue(message.contains(id), message);
    }
  }

  @Test
  void a_lock_works_in_this_jvm_and_in_redis() throws Exception {
    count("local://");
    int port = freePort();
    RedisServer redis = RedisServer.newRedisServer().bind("127.0.0.1").port(port).build();
    redis.start();
    try {
      for (String provider : new String[] {"redis-setnx", "redis-watch", "redis-hash"}) {
        count(provider + "://127.0.0.1:" + port);
      }
      // Three databases of one server; %3A is a colon, and %2F a slash.
      String member = "member=redis-setnx%3A%2F%2F127.0.0.1%3A" + port + "%2F";
      count("quorum://?" + member + "1&" + member + "2&" + member + "3");
    } finally {
      redis.stop();
    }
  }

  private static void count(String uri) {
    try (LockClient client = Locks.open(uri)) {
      Counter counter = new Counter(client);
      counter.step();
      counter.step();
      assertEquals(2, counter.count(), uri);
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
