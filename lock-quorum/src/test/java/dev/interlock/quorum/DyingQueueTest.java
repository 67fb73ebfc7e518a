package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The member at which all queue dies under those who wait there. */
@Timeout(120)
class DyingQueueTest {
  private static final int CLIENTS = 10;
  private static final int WAITERS = 100;
  private static final int PATIENCE_SECONDS = 90;

  private ThreeRedis redis;
  private List<LockClient> clients = List.of();

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    clients.forEach(LockClient::close);
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-hash"})
  @DisplayName("a hundred that wait in the queue of a server that dies get the lock one by one")
  void waitersOutliveQueue(String provider) throws Exception {
    clients = Stream.generate(() -> Locks.open(redis.uri(provider, "")))
        .limit(CLIENTS + 1)
        .toList();
    LockClient holder = clients.get(CLIENTS);
    LockRequest request = LockRequest.of("a").withWait(Duration.ofSeconds(PATIENCE_SECONDS));
    Lease held = holder.acquire(request);
    AtomicInteger inside = new AtomicInteger();
    List<CompletableFuture<Long>> uses = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      uses.add(clients.get(i % CLIENTS).acquireAsync(request).thenApply(lease -> {
        int together = inside.incrementAndGet();
        LockSupport.parkNanos(1);
        inside.decrementAndGet();
        lease.release();
        return together == 1 ? lease.fencingToken() : -1;
      }));
    }
    // Of those of one client some may wait behind one that stands in the queue.
    while (holder.inspect("a").orElseThrow().waiters() < CLIENTS) {
      Thread.sleep(10);
    }

    redis.server(0).kill();
    held.release();

    List<Long> tokens = new ArrayList<>();
    for (CompletableFuture<Long> use : uses) {
      tokens.add(use.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
    assertThat(tokens).doesNotContain(-1L).doesNotHaveDuplicates().hasSize(WAITERS);
  }
}
