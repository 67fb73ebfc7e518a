package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release reaches the members one after the other. */
@Timeout(60)
class LateReleaseTest extends SteeredMembers {
  @Test
  @DisplayName("F1 whose turn it is keeps it where the other members have the release 100 ms later")
  void keepsItsTurn() throws Exception {
    Attempt held = attempt();
    try (LockBackend second = direct(1);
        LockBackend third = direct(2)) {
      for (LockBackend member : List.of(first, second, third)) {
        assertThat(member.attempt(held)).isInstanceOf(Grant.class);
      }
      Attempt waiting = waits();
      assertThat(first.release(NAME, held.id())).isTrue();
      CompletableFuture<AttemptResult> result =
          CompletableFuture.supplyAsync(() -> quorum.attempt(waiting));
      TimeUnit.MILLISECONDS.sleep(100);
      assertThat(second.release(NAME, held.id())).isTrue();
      assertThat(third.release(NAME, held.id())).isTrue();
      assertThat(result.get()).isInstanceOf(Grant.class);
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
