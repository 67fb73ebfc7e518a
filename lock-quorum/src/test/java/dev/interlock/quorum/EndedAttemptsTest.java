package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a quorum remembers of an attempt that has ended: as much as is needed to give it back. */
@Timeout(30)
class EndedAttemptsTest extends SteeredMembers {
  private boolean isRemembered(Attempt attempt) {
    return ((QuorumBackend) quorum).standings().get(attempt.id()) != null;
  }

  @Test
  @DisplayName("M4 nothing of one that has failed, and to which nobody comes back")
  void forgetsWhatHasFailed() {
    members.forEach(member -> member.down(true));
    Attempt once = attempt();
    assertThatThrownBy(() -> quorum.attempt(once)).isInstanceOf(BackendUnavailableException.class);
    assertThat(isRemembered(once)).isFalse();

    Attempt waiting = attempt().withPatience(LEASE);
    assertThatThrownBy(() -> quorum.attempt(waiting))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(isRemembered(waiting)).as("it asks again, or is abandoned").isTrue();
    assertThatThrownBy(() -> quorum.attempt(waiting.withPatience(Duration.ZERO)))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(isRemembered(waiting)).as("it is abandoned").isTrue();
  }

  @Test
  @DisplayName("M4 nothing of one that found the lock held, all of one whose outcome is unknown")
  void remembersWhatIsUnknown() {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt busy = attempt();
    assertThat(quorum.attempt(busy)).isInstanceOf(AttemptResult.Busy.class);
    assertThat(isRemembered(busy)).isFalse();

    members.forEach(member -> member.delaysAttempts(true));
    Attempt unknown = attempt();
    assertThatThrownBy(() -> quorum.attempt(unknown)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(isRemembered(unknown)).isTrue();
  }

  /** The engine may ask once more by the same id, and would get votes that are given back later. */
  @Test
  @DisplayName("Q1 what is yet to be given back of one that has failed")
  void remembersWhatItOwes() throws Exception {
    takeAndRelease(); // so all are asked at once
    members.get(0).down(true);
    members.subList(1, 3).forEach(member -> member.delaysAbandonments(true));
    Attempt failed = attempt();
    assertThatThrownBy(() -> quorum.attempt(failed))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(isRemembered(failed)).isTrue();
    members.forEach(member -> member.down(false));
    members.forEach(member -> member.delaysAbandonments(false));

    assertThat(answer(() -> quorum.attempt(failed))).isInstanceOf(Grant.class);
    for (int member = 0; member < 3; member++) {
      try (LockBackend direct = direct(member)) {
        while (direct.inspect(NAME).isEmpty()) {
          LockSupport.parkNanos(1_000_000);
        }
      }
    }
    members.forEach(SteeredProvider.Steered::arrive);
    for (int member = 0; member < 3; member++) {
      try (LockBackend direct = direct(member)) {
        assertThat(direct.inspect(NAME)).as("member %d", member + 1).isPresent();
      }
    }
  }

  @Test
  @DisplayName("W6 a place at a member that is left out is given back though the wait ended at one"
      + " that found the lock held")
  void remembersItsPlaces() throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = waits();
      SteeredProvider.Steered left = members.get(0);
      left.down(true);
      left.before(() -> LockSupport.parkNanos(Member.SILENT.toNanos() / 3)); // so it is left out
      while (!(answer(() -> refreshed(waiting)) instanceof RenewalResult.Gone)) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(answer(() -> quorum.attempt(waiting))).isInstanceOf(AttemptResult.Queued.class);
      assertThat(quorum.attempt(waiting.withPatience(Duration.ZERO)))
          .isInstanceOf(AttemptResult.Busy.class);
      assertThat(quorumMembers().all().get(0).isLive()).isFalse();

      assertThatThrownBy(() -> quorum.abandon(NAME, waiting.id()))
          .as("so that it is repeated")
          .isInstanceOf(BackendUnavailableException.class);
      assertThat(second.inspect(NAME).map(HoldInfo::waiters)).contains(0);
      left.down(false);
      assertThat(answer(() -> {
            quorum.abandon(NAME, waiting.id());
            return first.inspect(NAME).map(HoldInfo::waiters);
          }))
          .contains(0);
    }
  }
}
