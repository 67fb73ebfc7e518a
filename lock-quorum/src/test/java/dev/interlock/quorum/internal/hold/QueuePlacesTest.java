package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a place in a member's queue when the attempt goes on to other members. */
@Timeout(30)
class QueuePlacesTest extends SteeredMembers {
  private final Queue<HoldId> woken = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    quorum.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {}

      @Override
      public void wake(String name, HoldId id) {
        woken.add(id);
      }

      @Override
      public void revoked(String name, HoldId id) {}

      @Override
      public void inDoubt() {}
    });
  }

  /** One that stood in the first member's queue, and was granted the lock by the others. */
  private Attempt grantedByOthers(Attempt holder) throws Exception {
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = waits();
    members.get(0).down(true);
    assertThat(answer(() -> quorum.attempt(waiting))).isInstanceOf(Grant.class);
    return waiting;
  }

  @Test
  @DisplayName(
      "a release leaves no place in the queue of a member that is back, for it would grant")
  void leavesNoPlace() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = grantedByOthers(holder);
    members.get(0).down(false);
    assertThat(quorum.release(NAME, waiting.id())).isTrue();
    await(() -> waiters(first) == 0);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(first.inspect(NAME)).isEmpty();
  }

  /** The first member fails, and the second is asked for a place while it owes a vote. */
  @Test
  @DisplayName("nor does a vote, granted late, hide the place that was asked for behind it")
  void leavesNoPlaceBehindALateVote() throws Exception {
    takeAndRelease();
    try (LockBackend second = direct(1)) {
      Attempt other = attempt();
      int given = members.get(2).abandonments();
      AtomicInteger asked = new AtomicInteger();
      members.get(1).before(() -> {
        if (asked.incrementAndGet() == 1) {
          // The place is asked for right behind the votes that are given back.
          await(() -> members.get(2).abandonments() > given);
          await(Duration.ofMillis(100));
        } else if (asked.get() == 2) {
          second.attempt(other);
        }
      });
      members.get(0).down(true);
      Attempt waiting = attempt().withPatience(LEASE);
      assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
      assertThat(waiters(second)).isEqualTo(1);

      members.get(0).down(false);
      members.get(1).down(true);
      members.get(1).before(() -> await(Duration.ofMillis(300)));
      await(() -> quorumMembers().all().get(0).isLive());
      quorum.attempt(attempt("b"));
      await(() -> !quorumMembers().all().get(1).isLive()); // it is left out
      assertThat(answer(() -> quorum.attempt(waiting))).isInstanceOf(Grant.class);
      members.get(1).down(false);
      assertThat(quorum.release(NAME, waiting.id())).isTrue();
      await(() -> waiters(second) == 0);
    }
  }

  private static int waiters(LockBackend member) {
    return member.inspect(NAME).map(HoldInfo::waiters).orElse(0);
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      await(Duration.ofMillis(1));
    }
  }

  private static void await(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("a place that has become a vote is released with the hold, in one question")
  void asksOnceWhereItIsGranted() throws Exception {
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = waits();
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    int before = members.get(0).abandonments();
    assertThat(quorum.release(NAME, waiting.id())).isTrue();
    quorum.close(); // nothing is under way any more
    assertThat(members.get(0).abandonments()).isEqualTo(before);
  }

  /** One that stands in the first member's queue, another client's behind it. */
  private Attempt waitsFirst() {
    Attempt waiting = waits();
    assertThat(first.attempt(attempt().withPatience(LEASE)))
        .isInstanceOf(AttemptResult.Queued.class);
    return waiting;
  }

  /** The same, once the first member failed and it went on to the queue of the second. */
  private Attempt goesOn(LockBackend second) throws Exception {
    Attempt waiting = waitsFirst();
    members.get(0).down(true);
    assertThat(answer(() -> quorum.attempt(waiting))).isInstanceOf(AttemptResult.Queued.class);
    assertThat(waiters(second)).isEqualTo(1);
    members.get(0).down(false);
    return waiting;
  }

  private void renew(Attempt waiting) {
    assertThat(refreshed(waiting)).isInstanceOf(RenewalResult.Queued.class);
  }

  /** Until it is woken by the first member that has kept its place, and has left the second. */
  private void awaitReturn(Attempt waiting, LockBackend second) {
    await(() -> {
      renew(waiting);
      return woken.contains(waiting.id());
    });
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    await(() -> waiters(second) == 0);
  }

  @Test
  @DisplayName("D2: it returns to its place once the first member answers, and leaves the other")
  void returns() throws Exception {
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = goesOn(second);

      awaitReturn(waiting, second);

      assertThat(first.release(NAME, holder.id())).isTrue();
      assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    }
  }

  @Test
  @DisplayName("D2: an attempt without an answer does not give its place up")
  void keepsItsPlaceWithoutAnAnswer() throws Exception {
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = waitsFirst();
      members.get(0).delaysAttempts(true);
      assertThat(answer(() -> quorum.attempt(waiting))).isInstanceOf(AttemptResult.Queued.class);
      assertThat(waiters(second)).isEqualTo(1);
      members.get(0).delaysAttempts(false);

      awaitReturn(waiting, second);
      members.get(0).arrive();

      assertThat(first.release(NAME, holder.id())).isTrue();
      assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    }
  }

  @Test
  @DisplayName("it stays in the queue of the next member if the first has lost its place")
  void staysWhereItsPlaceIsLost() throws Exception {
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = goesOn(second);
      forget(0, waiting);

      int before = members.get(0).renewals();
      await(() -> {
        renew(waiting);
        return members.get(0).renewals() > before + 2;
      });
      quorum.close(); // nothing is under way any more

      assertThat(woken).isEmpty();
      assertThat(waiters(second)).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("a place that a release has granted meanwhile is a vote, and not renewed")
  void renewsNoVote() throws Exception {
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    try (LockBackend second = direct(1)) {
      assertThat(second.attempt(attempt())).isInstanceOf(Grant.class);
      Attempt waiting = goesOn(second);
      assertThat(first.release(NAME, holder.id())).isTrue();

      await(() -> {
        int before = settledRenewals();
        for (int i = 0; i < 20; i++) {
          renew(waiting);
        }
        return before > 0 && settledRenewals() == before;
      });
    }
  }

  /** What the first member was asked for; on threads of its own, for which nobody waits. */
  private int settledRenewals() {
    int before;
    do {
      before = members.get(0).renewals();
      await(Duration.ofMillis(200));
    } while (members.get(0).renewals() != before);
    return before;
  }

  /** A hold that the first member has lost, and granted to another client meanwhile. */
  private Attempt lostTo(Attempt other) {
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    awaitVotes(held);
    first.abandon(NAME, held.id());
    assertThat(first.attempt(other)).isInstanceOf(Grant.class);

    renewHeld(held);
    await(() -> waiters(first) == 1);
    return held;
  }

  private void renewHeld(Attempt held) {
    Renewal renewal = Renewal.of(NAME, held.id(), LEASE, false);
    assertThat(RenewalAnswers.collect(quorum, List.of(renewal)).get(0)).isInstanceOf(Grant.class);
  }

  @Test
  @DisplayName(
      "Q1: a hold queues at a member that lost it, and has it once another leaves it there")
  void queuesForWhatIsLost() {
    Attempt other = attempt();
    Attempt held = lostTo(other);

    assertThat(first.release(NAME, other.id())).isTrue();

    await(() -> members.get(0).attempts(NAME).size() == 3); // it hears of that without a renewal
    members.get(1).down(true);
    renewHeld(held);
    int before = members.get(0).abandonments();
    assertThat(quorum.release(NAME, held.id())).isTrue();
    await(() -> first.inspect(NAME).isEmpty());
    assertThat(members.get(0).abandonments()).isEqualTo(before); // the place is known to be over
  }

  @Test
  @DisplayName("a release gives that place up, too")
  void leavesNoPlaceOfAHold() {
    Attempt other = attempt();
    Attempt held = lostTo(other);

    assertThat(quorum.release(NAME, held.id())).isTrue();

    await(() -> waiters(first) == 0);
    assertThat(first.release(NAME, other.id())).isTrue();
    assertThat(first.inspect(NAME)).isEmpty();
  }
}
