package example.cdi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import java.net.ServerSocket;
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
    System.setProperty("interlock.uri", uri);
    try {
      CompletableFuture.allOf(instance(), instance()).join();
      assertEquals(2 * STEPS, Counter.count);
      try (LockClient locks = Locks.open(uri)) {
        assertTrue(locks.inspect("counter").isEmpty());
      }
    } finally {
      redis.stop();
    }
  }

  private static CompletableFuture<Void> instance() {
    return CompletableFuture.runAsync(() -> {
      try (SeContainer container = SeContainerInitializer.newInstance().initialize()) {
        Counter counter = container.select(Counter.class).get();
        for (int step = 0; step < STEPS; step++) {
          counter.step();
        }
        // Not unlocked: closing the client gives it back.
        container.select(LockClient.class).get().lock("counter").lock();
      }
    });
  }
}
