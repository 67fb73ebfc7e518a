package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many threads a quorum's members have. */
@Timeout(60)
class MemberThreadsTest {
  /** A member may have 32; one thread of the application asks it a few things at once. */
  private static final int FEW = 3 * 16;

  @Test
  @DisplayName(
      "M4: there are no more threads than calls at once, and a crowd is served all the same")
  void asManyAsNeeded() throws Exception {
    try (ThreeRedis redis = new ThreeRedis();
        LockClient client = Locks.open(redis.uri("redis-setnx", ""))) {
      for (int i = 0; i < 100; i++) {
        client.acquire(LockRequest.of("a")).release();
      }
      assertThat(threads()).isLessThan(FEW);

      List<CompletableFuture<Void>> crowd = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        crowd.add(
            client.acquireAsync(LockRequest.of("crowd-" + i)).thenAccept(lease -> lease.close()));
      }
      for (CompletableFuture<Void> one : crowd) {
        one.get();
      }
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("interlock-quorum-member-"))
        .count();
  }
}
