package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.quorum.BatchingMembers;
import dev.interlock.quorum.internal.member.Marks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which votes count that came with a batch, and what becomes of those that did not come. */
@Timeout(30)
class BatchedVotesTest extends BatchingMembers {
  @Test
  @DisplayName(
      "Q4: a vote of a batch does not count if the member forgot what it granted before it")
  void looksBehindTheVotes() throws Exception {
    takeAndRelease();
    for (int member = 1; member < 3; member++) {
      LockBackend server = servers.get(member);
      ways.get(member).before(() -> Marks.forget(server));
    }
    assertThatThrownBy(() -> quorum.attempt(attempt()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("member 2 is new or has lost its state");
  }

  @Test
  @DisplayName("Q4: a vote without the look behind it does not count, and is given back")
  void losesTheLook() throws Exception {
    takeAndRelease();
    for (int member = 1; member < 3; member++) {
      ways.get(member).breaksAfter(1); // the vote, not the look
    }
    assertThatThrownBy(() -> quorum.attempt(attempt())).isInstanceOf(LockException.class);
    awaitFree();
  }

  @Test
  @DisplayName("E6: what a broken batch may have granted is given back, by an attempt that failed")
  void givesBackTheUnknown() throws Exception {
    takeAndRelease();
    for (LockBackend server : servers.subList(1, 3)) {
      assertThat(server.attempt(attempt())).isInstanceOf(Grant.class);
    }
    ways.get(0).breaksAfter(0);
    assertThat(quorum.attempt(attempt())).isInstanceOf(AttemptResult.Busy.class);
    awaitFree(servers.get(0));
  }

  @Test
  @DisplayName("E3: a lock is granted by the others while one member breaks off its batches")
  void goesOnWithTheOthers() throws Exception {
    takeAndRelease();
    ways.get(2).breaksAfter(0);
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    ways.get(2).breaksAfter(Integer.MAX_VALUE);
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitFree();
  }

  @Test
  @DisplayName("who waits gets a place in the queue though it was asked for without patience first")
  void queues() throws Exception {
    takeAndRelease();
    Attempt holder = attempt();
    assertThat(servers.get(0).attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(servers.get(0).release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, waiting.id())).isTrue();
  }
}
