package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class InterruptedElectionTest extends SteeredMembers {
  /** Less than an election waits for it, and more than its looks take. */
  private static final long UNDER_WAY = TimeUnit.MILLISECONDS.toNanos(10);

  @Test
  @DisplayName("F5: who is interrupted as its turn comes waits all the same for the release that is"
      + " under way at the other members")
  void keepsItsTurn() {
    try (LockBackend second = direct(1);
        LockBackend third = direct(2)) {
      Attempt before = attempt();
      assertThat(second.attempt(before)).isInstanceOf(Grant.class);
      assertThat(third.attempt(before)).isInstanceOf(Grant.class);
      Thread caller = Thread.currentThread();
      AtomicReference<Long> asked = new AtomicReference<>();
      members.get(1).before(() -> {
        if (asked.compareAndSet(null, System.nanoTime())) {
          caller.interrupt();
        } else if (System.nanoTime() - asked.get() > UNDER_WAY) {
          second.release(NAME, before.id());
        }
      });

      assertThat(quorum.attempt(attempt())).isInstanceOf(Grant.class);

      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
