package dev.interlock.redis.hash.internal.connection;

import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Where a cluster client believes the slots to be. Thread-safe. */
final class SlotMap {
  /** Failures of many threads lead to one look. */
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final RedisClusterClient cluster;
  private final AtomicLong lookedAt = new AtomicLong(System.nanoTime());

  SlotMap(RedisClusterClient cluster) {
    this.cluster = cluster;
  }

  /** Has the client ask the nodes, unless it was just asked to. Does not wait for that. */
  void lookAgain() {
    long last = lookedAt.get();
    long now = System.nanoTime();
    if (now - last > BETWEEN_LOOKS.toNanos() && lookedAt.compareAndSet(last, now)) {
      cluster.refreshPartitionsAsync();
    }
  }
}
