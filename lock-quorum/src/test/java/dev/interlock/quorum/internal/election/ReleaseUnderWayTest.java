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

/** The lock is free at the first member, and a release is under way at the others. */
@Timeout(30)
class ReleaseUnderWayTest extends SteeredMembers {
  /** Less than an election waits for it, and more than all looks but the last take. */
  private static final long UNDER_WAY = TimeUnit.MILLISECONDS.toNanos(30);

  @Test
  @DisplayName("F5: whose turn it is keeps that until the release is there")
  void keepsItsTurn() {
    takesItsTurn(() -> {});
  }

  @Test
  @DisplayName("F5: also one that is interrupted at that moment")
  void keepsItsTurnThoughInterrupted() {
    takesItsTurn(Thread.currentThread()::interrupt);
    assertThat(Thread.interrupted()).isTrue();
  }

  private void takesItsTurn(Runnable asAsked) {
    try (LockBackend second = direct(1);
        LockBackend third = direct(2)) {
      Attempt before = attempt();
      assertThat(second.attempt(before)).isInstanceOf(Grant.class);
      assertThat(third.attempt(before)).isInstanceOf(Grant.class);
      AtomicReference<Long> asked = new AtomicReference<>();
      members.get(1).before(() -> {
        if (asked.compareAndSet(null, System.nanoTime())) {
          asAsked.run();
        } else if (System.nanoTime() - asked.get() > UNDER_WAY) {
          second.release(NAME, before.id());
        }
      });

      assertThat(quorum.attempt(attempt())).isInstanceOf(Grant.class);
    }
  }
}
