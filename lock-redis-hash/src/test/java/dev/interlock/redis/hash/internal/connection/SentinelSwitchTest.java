package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.TestRedis;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every build checks of a Sentinel set: the replica becomes the master. */
@Tag("thorough")
@Timeout(60)
class SentinelSwitchTest {
  /** So that a busy machine does not look like a dead server. */
  private static final String PATIENT = "&connectTimeout=PT10S&timeout=PT5S";

  @Test
  void F5_aHoldAndTheQueueBehindItOutliveTheMaster() throws Exception {
    try (RedisSentinels set = TestRedis.sentinels(1, builder -> builder);
        LockClient holder = Locks.open(set.uri("redis-hash") + PATIENT);
        LockClient waiter = Locks.open(set.uri("redis-hash") + PATIENT)) {
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> first = waiter.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 1);
      CompletableFuture<Lease> second = holder.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 2);

      Topologies.awaitWrites(set);
      set.killMaster();

      assertThat(held.isValid()).isTrue();
      SentinelTest.awaitMailboxes(set, 2);
      Topologies.release(held);
      Lease next = first.get(20, TimeUnit.SECONDS);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(second).isNotDone();
      Topologies.release(next);
      Topologies.release(second.get(20, TimeUnit.SECONDS));
    }
  }
}
