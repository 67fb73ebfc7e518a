package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release reaches the members one after the other. */
@Timeout(60)
class LateReleaseTest extends SteeredMembers {
  @Undisturbed(millis = 100)
  @DisplayName("F1 whose turn it is keeps it where the other members have the release later")
  void keepsItsTurn() {
    Attempt held = attempt();
    try (LockBackend second = direct(1);
        LockBackend third = direct(2)) {
      for (LockBackend member : List.of(first, second, third)) {
        assertThat(member.attempt(held)).isInstanceOf(Grant.class);
      }
      Attempt waiting = waits();
      assertThat(first.release(NAME, held.id())).isTrue();
      AtomicInteger looks = new AtomicInteger();
      members.get(1).before(() -> {
        if (looks.incrementAndGet() == 9) { // after some 60 ms
          second.release(NAME, held.id());
          third.release(NAME, held.id());
        }
      });
      assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    }
  }

  @Test
  @DisplayName("F1 it gives its turn back where they do not have it")
  void givesItBack() {
    Attempt held = attempt();
    try (LockBackend second = direct(1);
        LockBackend third = direct(2)) {
      for (LockBackend member : List.of(first, second, third)) {
        assertThat(member.attempt(held)).isInstanceOf(Grant.class);
      }
      Attempt waiting = waits();
      assertThat(first.release(NAME, held.id())).isTrue();
      assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Busy.class);
      assertThat(first.inspect(NAME)).isEmpty();
    }
  }
}
