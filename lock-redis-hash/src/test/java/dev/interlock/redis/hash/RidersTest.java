package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long the client keeps waiters in mind, by a clock of the test. */
class RidersTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final Riders riders = new Riders(now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void M4_holdsThatEndWithoutAWordAreForgotten() {
    for (int i = 0; i < 100; i++) {
      riders.queued("n" + i, new HoldId(1, i), LEASE);
    }
    pass(Duration.ofSeconds(24));
    riders.queued("n", new HoldId(2, 0), LEASE);
    assertThat(riders.known()).as("granted after 15 s, for 10 s").isEqualTo(101);
    pass(Duration.ofSeconds(16));
    riders.queued("n", new HoldId(2, 1), LEASE);
    assertThat(riders.known()).isEqualTo(2);
  }

  @Test
  void whatIsRenewedIsKept() {
    HoldId id = new HoldId(1, 0);
    riders.queued("n", id, LEASE);
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(20));
      riders.renewed("n", id, LEASE);
      riders.queued("m", new HoldId(2, i), LEASE);
    }
    riders.ended("m", new HoldId(2, 9));
    riders.ended("m", new HoldId(2, 8));
    assertThat(riders.known()).isOne();
    riders.ended("n", id);
    assertThat(riders.known()).isZero();
  }
}
