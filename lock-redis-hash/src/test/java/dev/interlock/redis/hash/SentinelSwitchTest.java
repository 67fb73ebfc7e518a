package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.TestRedis;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every build checks of a Sentinel set: the replica becomes the master. */
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
      awaitWaiters(holder, 1);
      CompletableFuture<Lease> second = holder.acquireAsync(LockRequest.of("n").fair(true));
      awaitWaiters(holder, 2);

      SentinelTest.awaitWrites(set);
      set.killMaster();

      assertThat(held.isValid()).isTrue();
      SentinelTest.awaitMailboxes(set, 2);
      release(held);
      Lease next = first.get(20, TimeUnit.SECONDS);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(second).isNotDone();
      release(next);
      release(second.get(20, TimeUnit.SECONDS));
    }
  }

  private static void awaitWaiters(LockClient client, int waiters) {
    while (client.inspect("n").orElseThrow().waiters() != waiters) {
      Thread.onSpinWait();
    }
  }

  /** A release may come while the client is on its way to the new master. */
  private static void release(Lease lease) {
    try {
      lease.release();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      assertThat(e).isNotNull(); // it is repeated in the background
    }
  }
}
