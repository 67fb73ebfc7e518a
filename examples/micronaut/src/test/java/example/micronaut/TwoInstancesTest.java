package example.micronaut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import io.micronaut.context.ApplicationContext;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

class TwoInstancesTest {
  private static final int STEPS = 500;

  @Test
  void two_instances_lose_no_step_and_give_back_what_they_hold() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    RedisServer redis = RedisServer.newRedisServer().bind("127.0.0.1").port(port).build();
    redis.start();
    String uri = "redis-setnx://127.0.0.1:" + port;
    try {
      CompletableFuture.allOf(instance(uri), instance(uri)).join();
      assertEquals(2 * STEPS, Counter.count);
      try (LockClient locks = Locks.open(uri)) {
        assertTrue(locks.inspect("counter").isEmpty());
      }
    } finally {
      redis.stop();
    }
  }

  private static CompletableFuture<Void> instance(String uri) {
    return CompletableFuture.runAsync(() -> {
      try (ApplicationContext context = ApplicationContext.run(Map.of("interlock.uri", uri))) {
        Counter counter = context.getBean(Counter.class);
        for (int step = 0; step < STEPS; step++) {
          counter.step();
        }
        // Not unlocked: closing the client gives it back.
        context.getBean(LockClient.class).lock("counter").lock();
      }
    });
  }
}
