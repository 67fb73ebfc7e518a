package dev.interlock.redis.setnx;

import static dev.interlock.redis.support.contract.TestClient.LEASE;
import static dev.interlock.redis.support.contract.TestClient.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.HandOverContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.AttemptResult.Busy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the scripts do for waiters beyond the contract. */
@Timeout(60)
class HandOverTest extends HandOverContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Test
  void W2_aWaiterWhoseTimeIsOverIsPassedOver() throws InterruptedException {
    one.acquire("n", a);
    one.backend.attempt(attempt("n", c, LEASE, Duration.ofMillis(1), 1));
    two.tryPatiently("n", b);
    Topologies.await(() -> one.backend.inspect("n").orElseThrow().waiters() == 1);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
    assertThat(one.events).isEmpty();
  }

  @Test
  void aPassCallsThoseWhoWaitLongerAndNotesTheNextWaiter() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    var result = one.pass("n", a, c);
    assertThat(result.held()).isTrue();
    assertThat(result.granted()).isNull();
    assertThat(((Busy) result.next()).recheck()).isLessThan(Duration.ofSeconds(1));
    assertThat(two.event()).isEqualTo("wake n " + b);
    two.tryPatiently("n", b);
    assertThat(two.backend.inspect("n").orElseThrow().waiters()).isEqualTo(1);
    two.release("n", b);
    assertThat(one.event()).isEqualTo("wake n " + c);
  }

  @Test
  void aPassGoesPastTheDeadToTheNextWaiter() throws InterruptedException {
    try (TestClient dead = TestClient.open(provider(), server)) {
      one.acquire("n", a);
      dead.tryPatiently("n", dead.id());
    }
    assertThat(one.pass("n", a, c).granted().id()).isEqualTo(c);
  }
}
