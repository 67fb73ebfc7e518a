package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application that moves from one backend to another, with instances on different stages. */
@Timeout(60)
class MoveTest {
  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private LockClient both() {
    List<String> members =
        List.of(redis.server(0).uri("redis-setnx"), redis.server(1).uri("redis-hash"));
    return Locks.open(ThreeRedis.quorum(members, "&need=all"));
  }

  @Test
  @DisplayName("an instance on both backends and one on the old one exclude one another")
  void meetsOld() throws Exception {
    try (LockClient old = Locks.open(redis.server(0).uri("redis-setnx"));
        LockClient both = both()) {
      exclude(old, both);
    }
  }

  @Test
  @DisplayName("an instance on both backends and one on the new one exclude one another")
  void meetsNew() throws Exception {
    try (LockClient next = Locks.open(redis.server(1).uri("redis-hash"));
        LockClient both = both()) {
      exclude(next, both);
    }
  }

  private static void exclude(LockClient one, LockClient other) throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      LockRequest request = LockRequest.of("a" + round);
      try (Lease lease = one.acquire(request)) {
        assertThat(other.tryAcquire(request)).isEmpty();
        assertThat(lease.isValid()).isTrue();
      }
      try (Lease lease = other.acquire(request)) {
        assertThat(one.tryAcquire(request)).isEmpty();
        assertThat(lease.isValid()).isTrue();
      }
    }
  }
}
