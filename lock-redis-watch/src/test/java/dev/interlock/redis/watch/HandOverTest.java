package dev.interlock.redis.watch;

import static dev.interlock.redis.support.contract.TestClient.LEASE;
import static dev.interlock.redis.support.contract.TestClient.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.HandOverContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.contract.Topologies;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the transactions do for waiters beyond the contract. */
class HandOverTest extends HandOverContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Test
  void W2_aWaiterWhoseTimeIsOverDoesNotKeepTheCallFromTheNextOne() throws InterruptedException {
    one.acquire("n", a);
    one.backend.attempt(attempt("n", c, LEASE, Duration.ofMillis(1), 1));
    two.tryPatiently("n", b);
    Topologies.await(() -> one.backend.inspect("n").orElseThrow().waiters() == 1);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W2_manyDeadWaitersAreAllPassedOver() throws InterruptedException {
    one.acquire("n", a);
    for (int i = 0; i < 5; i++) {
      try (TestClient dead = TestClient.open(provider(), server)) {
        dead.tryPatiently("n", dead.id());
      }
    }
    two.tryPatiently("n", b);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
    assertThat(server.command("EXISTS", waiting())).isEqualTo("0");
  }

  @Test
  void anEntryOfOtherSoftwareInTheWaitingListIsPassedOver() throws InterruptedException {
    one.acquire("n", a);
    server.command("ZADD", waiting(), "1", "nonsense");
    two.tryPatiently("n", b);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W3_aWaiterThatCameWhileTheLockWasBeingFreedIsCalled() throws Exception {
    try (Interposed between = Interposed.open(server)) {
      between.client().tryOnce("m", a);
      between.beforeFlush(2, () -> two.tryPatiently("m", b));
      assertThat(between.client().release("m", a)).isTrue();
      assertThat(two.event()).isEqualTo("wake m " + b);
    }
  }

  private static String waiting() {
    return BackendContract.key("n").replace(":lock:", ":wait:");
  }
}
