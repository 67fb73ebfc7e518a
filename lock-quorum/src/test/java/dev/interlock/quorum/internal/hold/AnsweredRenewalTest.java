package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A renewal that is decided on the thread of a member, and answered there. */
@Timeout(60)
class AnsweredRenewalTest extends SteeredMembers {

  @Test
  @DisplayName("N4 a renewal does not return while its answer is being given on another thread")
  void returnsBehindTheAnswer() {
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    members.get(0).down(true);
    members.get(2).down(true);
    CountDownLatch returned = new CountDownLatch(1);
    AtomicReference<RenewalResult> answer = new AtomicReference<>();

    quorum.renew(List.of(Renewal.of(NAME, held.id(), LEASE, false)), (renewal, result) -> {
      if (!isSoon(returned)) {
        answer.set(result);
      }
    });
    RenewalResult known = answer.get();
    returned.countDown();

    assertThat(known).isInstanceOf(RenewalResult.Failed.class);
  }

  @Undisturbed(millis = 300)
  @DisplayName("T3: a raised token is that of all answers from the one on that tells it")
  void tellsNoSmallerToken() {
    Attempt held = attempt();
    long larger = token(quorum.attempt(held)) + 1_000_000;
    awaitVotes(held);
    Renewal renewal = Renewal.of(NAME, held.id(), LEASE, false);
    Queue<Long> told = new ConcurrentLinkedQueue<>();
    CountDownLatch over = new CountDownLatch(1);
    // The second decides well behind the first, and nobody votes behind it.
    members.get(1).beforeRenewed(() -> LockSupport.parkNanos(200_000_000));
    members.get(2).beforeRenewed(() -> isSoon(over));

    quorum.renew(List.of(renewal.withMinToken(larger)), (same, result) -> {
      told.add(token(result));
      // On a thread of its own: this one may be the member's.
      CompletableFuture.runAsync(() -> {
            told.add(token(RenewalAnswers.collect(quorum, List.of(renewal)).get(0)));
            told.add(token(quorum.attempt(held)));
          })
          .join();
    });
    over.countDown();

    assertThat(told).containsExactly(larger, larger, larger);
  }

  private static long token(Object answer) {
    assertThat(answer).isInstanceOf(Grant.class);
    return ((Grant) answer).fencingToken();
  }

  @Test
  @DisplayName("a member that did not raise its token does not count for one that is to be larger")
  void countsOnlyWhoRaises() {
    Attempt held = attempt();
    long larger = token(quorum.attempt(held)) + 1_000_000;
    Renewal renewal = Renewal.of(NAME, held.id(), LEASE, false);
    members.get(1).raisesNothing(true);
    members.get(2).raisesNothing(true);

    assertThatThrownBy(() -> RenewalAnswers.collect(quorum, List.of(renewal.withMinToken(larger))))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("was to be at least " + larger);
    assertThat(RenewalAnswers.collect(quorum, List.of(renewal)).get(0)).isInstanceOf(Grant.class);
  }

  @Test
  @DisplayName("N7 members that answer null to a renewal do not say that the hold is gone")
  void takesNullForNoAnswer() {
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    members.get(1).answersNull(true);
    members.get(2).answersNull(true);
    Renewal renewal = Renewal.of(NAME, held.id(), LEASE, false);

    assertThatThrownBy(() -> RenewalAnswers.collect(quorum, List.of(renewal)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("member 2: the provider 'steered' answered null");
  }

  /** Within three times as long as a member has for its vote. */
  private static boolean isSoon(CountDownLatch returned) {
    try {
      return returned.await(3 * Member.SILENT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
