package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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

  /** Within three times as long as a member has for its vote. */
  private static boolean isSoon(CountDownLatch returned) {
    try {
      return returned.await(3 * Member.SILENT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
