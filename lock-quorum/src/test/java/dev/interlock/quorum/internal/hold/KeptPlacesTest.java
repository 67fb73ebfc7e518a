package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.SteeredProvider;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.RenewalResult;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits keeps its place, or its turn, while members fail for a moment. */
@Timeout(30)
class KeptPlacesTest extends SteeredMembers {
  /** As the engine does, which asks again for a place that is lost. */
  private void looksAfterItsPlace(Attempt waiting) {
    try {
      if (refreshed(waiting) instanceof RenewalResult.Gone) {
        quorum.attempt(waiting);
      }
    } catch (BackendUnavailableException e) {
      // it looks again later
    }
  }

  /** A member that is back gives up what was released meanwhile on a thread of its own. */
  private void awaitGrant(Attempt waiting) throws InterruptedException {
    while (!(quorum.attempt(waiting) instanceof Grant)) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static void assertFails(Supplier<?> question) {
    assertThatThrownBy(question::get).isInstanceOf(BackendUnavailableException.class);
  }

  @Undisturbed(millis = 100)
  @DisplayName("F5: those of one client keep their order when its connections are cut for a moment")
  void keepsItsPlaceThroughAReconnect() {
    Attempt holder = attempt();
    assertThat(quorum.attempt(holder)).isInstanceOf(Grant.class);
    Attempt earlier = waits();
    Attempt later = waits();

    members.get(0).down(true);
    looksAfterItsPlace(later);
    looksAfterItsPlace(earlier);
    members.get(0).down(false);

    assertThat(quorum.release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(later)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(quorum.attempt(earlier)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, earlier.id())).isTrue();
    assertThat(quorum.attempt(later)).isInstanceOf(Grant.class);
  }

  /** Also one who has not looked yet keeps its place: whoever comes new must not pass it. */
  @Undisturbed(millis = 100)
  @DisplayName("F2: who comes new does not pass those who stay at a member that fails")
  void isNotPassedByNewcomers() throws Exception {
    Attempt holder = attempt();
    assertThat(quorum.attempt(holder)).isInstanceOf(Grant.class);
    awaitVotes(holder);
    Attempt earlier = waits();

    members.get(0).down(true);
    Attempt newcomer = attempt().withFair(true).withPatience(LEASE);
    assertFails(() -> quorum.attempt(newcomer));
    assertFails(() -> refreshed(earlier));
    assertThat(quorum.attempt(attempt("b").withPatience(LEASE))).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, holder.id())).isTrue();
    members.get(0).down(false);

    assertThat(quorum.attempt(newcomer)).isInstanceOf(AttemptResult.Queued.class);
    awaitGrant(earlier);
  }

  /** One that fails after more than 0.2 s is left out, lest it takes so long again. */
  @Undisturbed(millis = 100)
  @DisplayName("F5: also at a member that is left out for a moment")
  void staysAtOneThatIsLeftOut() throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt waiting = waits();
    members.get(0).down(true);
    members.get(0).before(() -> LockSupport.parkNanos(Member.SILENT.toNanos() / 3));
    Attempt another = attempt("b");
    assertThat(quorum.attempt(another)).isInstanceOf(Grant.class);
    assertThat(quorumMembers().all().get(0).isLive()).isFalse();

    assertFails(() -> refreshed(waiting));
    assertFails(() -> quorum.attempt(waiting));
    members.get(0).down(false);

    assertThat(answer(() -> refreshed(waiting))).isInstanceOf(RenewalResult.Queued.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.inspect(NAME)).isEmpty();
    }
  }

  @Undisturbed(millis = 100)
  @DisplayName("F5: whose turn it is keeps that when the others are cut off for a moment")
  void keepsItsTurnThroughAReconnect() {
    Attempt holder = attempt();
    assertThat(quorum.attempt(holder)).isInstanceOf(Grant.class);
    Attempt earlier = waits();
    Attempt later = waits();
    assertThat(quorum.release(NAME, holder.id())).isTrue();
    for (SteeredProvider.Steered member : members.subList(1, 3)) {
      AtomicInteger asked = new AtomicInteger();
      member.before(() -> member.down(asked.incrementAndGet() <= 3));
    }

    assertThat(quorum.attempt(earlier)).isInstanceOf(Grant.class);
    assertThat(quorum.attempt(later)).isInstanceOf(AttemptResult.Queued.class);
  }

  @Test
  @DisplayName("it goes on to the next member once the first has failed for a second")
  void leavesWhoFails() throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = waits();
      members.get(0).down(true);
      long since = System.nanoTime();

      assertThat(answer(() -> refreshed(waiting))).isInstanceOf(RenewalResult.Gone.class);

      assertThat(System.nanoTime() - since).isGreaterThanOrEqualTo(Member.SILENT.toNanos());
      assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
      assertThat(second.inspect(NAME).map(HoldInfo::waiters)).contains(1);
    }
  }

  /** As where somebody keeps one row locked, or where writes are refused and looks are not. */
  @Test
  @DisplayName("also if the member answers for other locks meanwhile")
  void leavesWhoFailsForThisLockOnly() throws Exception {
    leaves(i -> assertThat(quorum.attempt(attempt("b" + i))).isInstanceOf(Grant.class));
  }

  /** Which it does without a write. */
  @Test
  @DisplayName("also if the member tells others meanwhile that the lock is held")
  void leavesWhoTellsOnlyThatItIsHeld() throws Exception {
    leaves(i -> assertThat(quorum.attempt(attempt())).isInstanceOf(AttemptResult.Busy.class));
  }

  private void leaves(IntConsumer meanwhile) throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt waiting = waits();
    boolean left = false;
    for (int i = 0; !left; i++) {
      members.get(0).down(true);
      try {
        left = refreshed(waiting) instanceof RenewalResult.Gone;
      } catch (BackendUnavailableException e) {
        // it stays
      }
      members.get(0).down(false);
      while (!quorumMembers().all().get(0).isLive()) { // it is left out after a stall
        TimeUnit.MILLISECONDS.sleep(1);
      }
      meanwhile.accept(i);
      TimeUnit.NANOSECONDS.sleep(Member.SILENT.toNanos() / 10);
    }
  }

  @Undisturbed(millis = 100)
  @DisplayName("a moment begins anew once the member has answered")
  void outlastsEachFault() throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt waiting = waits();
    long since = System.nanoTime();
    while (System.nanoTime() - since < 2 * Member.SILENT.toNanos()) {
      members.get(0).down(true);
      assertFails(() -> refreshed(waiting));
      TimeUnit.NANOSECONDS.sleep(Member.SILENT.toNanos() / 4);
      members.get(0).down(false);
      assertThat(refreshed(waiting)).isInstanceOf(RenewalResult.Queued.class);
    }
  }
}
