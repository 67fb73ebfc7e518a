package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Marks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the others are asked beside the contended member, and what becomes of their votes. */
@Timeout(30)
class EarlyVotesTest extends SteeredMembers {
  private List<HoldId> asked(int member) {
    return members.get(member).attempts(NAME);
  }

  @Test
  @DisplayName("who was asked beside a contended member that is held has nothing in others' way")
  void givesBackEarlyVotes() throws Exception {
    takeAndRelease();
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt early = attempt();
    assertThat(quorum.attempt(early)).isInstanceOf(AttemptResult.Busy.class);
    for (int member = 1; member < 3; member++) {
      while (!asked(member).contains(early.id())) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      try (LockBackend direct = direct(member)) {
        while (direct.inspect(NAME).isPresent()) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
    }
  }

  @Test
  @DisplayName("nobody is asked early after a wait, for others may wait, too")
  void asksNoneEarlyAfterAWait() {
    takeAndRelease();
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, waiting.id())).isTrue();

    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt next = attempt();
    assertThat(quorum.attempt(next)).isInstanceOf(AttemptResult.Busy.class);
    quorum.close(); // nothing is under way any more
    assertThat(asked(0)).contains(next.id());
    assertThat(asked(1)).doesNotContain(next.id());
    assertThat(asked(2)).doesNotContain(next.id());
  }

  @Test
  @DisplayName("a vote does not count if the member forgot what it granted right before it")
  void looksBehindTheVote() {
    takeAndRelease();
    List<LockBackend> direct = IntStream.of(1, 2).mapToObj(this::direct).toList();
    for (int member = 1; member < 3; member++) {
      LockBackend server = direct.get(member - 1);
      members.get(member).before(() -> Marks.forget(server));
    }
    assertThatThrownBy(() -> quorum.attempt(attempt()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("member 2 is new or has lost its state");
    direct.forEach(LockBackend::close);
  }
}
