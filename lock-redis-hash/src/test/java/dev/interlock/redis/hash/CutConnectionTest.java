package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that meet a connection just as it breaks, though its server answers. */
@Timeout(60)
class CutConnectionTest {
  private static final int THREADS = 4;
  private static final int CUTS = 400;

  private final List<String> failures = new ArrayList<>();

  @Test
  @DisplayName("no call waits for an answer to a command that was not sent")
  void endsAtOnce() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (RedisServer server = TestRedis.builder().owned().start();
        LockClient client = Locks.open(server.uri("redis-hash") + "?timeout=PT5S")) {
      List<Future<?>> callers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        String name = "lock" + i;
        callers.add(threads.submit(() -> {
          while (!over.get()) {
            call(client, name);
          }
        }));
      }
      for (int cut = 0; cut < CUTS; cut++) {
        server.command("CLIENT", "KILL", "TYPE", "normal");
        TimeUnit.MILLISECONDS.sleep(5);
      }
      over.set(true);
      for (Future<?> caller : callers) {
        caller.get();
      }
    } finally {
      over.set(true);
      threads.shutdownNow();
    }

    assertThat(failures).isNotEmpty().noneMatch(failure -> failure.contains("no answer within"));
  }

  private void call(LockClient client, String name) {
    try {
      client.tryAcquire(LockRequest.of(name)).ifPresent(lease -> lease.release());
    } catch (LockException e) {
      synchronized (failures) {
        failures.add(String.valueOf(e.getMessage()));
      }
    }
  }
}
