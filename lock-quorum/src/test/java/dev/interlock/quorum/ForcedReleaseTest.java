package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ForcedReleaseTest extends SteeredMembers {
  private long held() {
    advance(0); // so that the first member's token is not raised while it is forced
    Attempt held = attempt();
    long token = ((Grant) quorum.attempt(held)).fencingToken();
    awaitVotes(held);
    return token;
  }

  /** Has a member take so many tokens that it grants larger ones than the others. */
  private void advance(int member) {
    try (LockBackend direct = direct(member)) {
      Attempt another = attempt("another").withTokens(1_000_000);
      assertThat(direct.attempt(another)).isInstanceOf(Grant.class);
      assertThat(direct.release("another", another.id())).isTrue();
    }
  }

  @Test
  @DisplayName("E3 a forced release that took the lock on too few members does not say that nothing"
      + " was changed")
  void isUnknown() {
    long token = held();
    members.get(1).refusesForce(true);
    members.get(2).refusesForce(true);
    assertThatThrownBy(() -> quorum.forceRelease(NAME, token))
        .isExactlyInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("member 2: force is refused")
        .hasMessageContaining("member 3: force is refused");
    assertThat(first.inspect(NAME)).isEmpty();
  }

  @Test
  @DisplayName("E3 one that no member has run does")
  void isRefused() {
    long token = held();
    members.forEach(member -> member.refusesForce(true));
    assertThatThrownBy(() -> quorum.forceRelease(NAME, token))
        .isExactlyInstanceOf(BackendUnavailableException.class);
    assertThat(first.inspect(NAME)).isPresent();
  }

  @Test
  @DisplayName("M2 a hold that most members have got back is forced by its own token")
  void knowsItsToken() {
    advance(0); // or a member keeps a token that is larger than the hold's
    Attempt held = attempt();
    long token = ((Grant) quorum.attempt(held)).fencingToken();
    awaitVotes(held);
    advance(0); // so that the first two grant it again with different tokens
    forget(0, held);
    awaitRepair(held);
    forget(1, held);
    awaitRepair(held);
    assertThat(quorum.forceRelease(NAME, token)).isTrue();
    assertThat(quorum.inspect(NAME)).isEmpty();
  }

  private void awaitRepair(Attempt held) {
    Renewal renewal = Renewal.of(NAME, held.id(), LEASE, false);
    do {
      assertThat(RenewalAnswers.collect(quorum, List.of(renewal)))
          .hasOnlyElementsOfType(Grant.class);
    } while (!isHeldByAll());
  }

  private boolean isHeldByAll() {
    boolean all = true;
    for (int member = 0; member < 3; member++) {
      try (LockBackend direct = direct(member)) {
        all &= direct.inspect(NAME).isPresent();
      }
    }
    return all;
  }

  @Test
  @DisplayName("M2 a vote that was left on one member does not make a free lock one that is forced")
  void isFree() {
    long old = leftOver();
    assertThat(quorum.forceRelease(NAME, old)).isFalse();
    assertThat(quorum.inspect(NAME)).isEmpty();
  }

  @Test
  @DisplayName("M2 a successor is not forced by the token of such a vote")
  void sparesASuccessor() {
    long old = leftOver();
    advance(0);
    advance(1);
    Attempt successor = attempt();
    long token = ((Grant) quorum.attempt(successor)).fencingToken();
    assertThat(token).isGreaterThan(old);
    assertThat(quorum.forceRelease(NAME, old)).isFalse();
    assertThat(quorum.inspect(NAME).map(HoldInfo::fencingToken)).contains(token);
    assertThat(quorum.release(NAME, successor.id())).isTrue();
  }

  /** The token of a vote on the last member alone: a release has not got there. */
  private long leftOver() {
    try (LockBackend last = direct(2)) {
      return ((Grant) last.attempt(attempt())).fencingToken();
    }
  }
}
