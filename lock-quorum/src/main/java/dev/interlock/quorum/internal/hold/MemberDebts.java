package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What could not be given back to one member, because it failed at that moment. It is given back
 * once the member answers again, unless it has run out by then, or was asked for again. One that
 * fails at once is asked on, and each release adds to it, so it has a bound: of more, the oldest
 * are left to end with their leases. Thread-safe.
 */
final class MemberDebts {
  static final int MOST = 10_000;

  private static final Executor REMINDER =
      CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

  private final Member member;
  private final AtomicBoolean reminding = new AtomicBoolean();

  // Guarded by this.
  private final Deque<Standing> debts = new ArrayDeque<>();

  MemberDebts(Member member) {
    this.member = member;
  }

  /**
   * Adds what could not be given back. The member is asked whether it answers, at once and then
   * every second: nobody else may ask it anything for long, and others wait for what it has.
   *
   * @param failed the question by which it was to be given back
   */
  void owes(Standing standing, CompletableFuture<?> failed) {
    if (owesStill(standing, failed) && !member.isClosed()) {
      var unused = member.probe();
    }
  }

  private boolean owesStill(Standing standing, CompletableFuture<?> failed) {
    boolean owes = standing.owes(member, failed);
    if (owes) {
      add(standing);
      remind();
    }
    return owes;
  }

  /** Asks every second while something is owed: a client that is idle asks nothing else. */
  private void remind() {
    if (!member.isClosed() && areLeft() && reminding.compareAndSet(false, true)) {
      REMINDER.execute(() -> {
        reminding.set(false);
        var unused = member.probe();
        remind();
      });
    }
  }

  /** Gives the oldest back, for the member answers. */
  void pay() {
    Standing debt = next();
    if (debt != null) {
      CompletableFuture<Boolean> paid = debt.pay(member);
      var unused = paid.whenComplete((done, error) -> {
        if (error != null && !member.isClosed()) {
          var unusedAnswer = owesStill(debt, paid); // it has just failed: asked again later
        }
      });
    }
  }

  synchronized void add(Standing debt) {
    while (areLeft() && debts.size() >= MOST) {
      debts.remove();
    }
    debts.add(debt);
  }

  /** Whether anything is to be given back yet. */
  synchronized boolean areLeft() {
    while (!debts.isEmpty() && isOver(debts.element())) {
      debts.remove();
    }
    return !debts.isEmpty();
  }

  /** Takes the oldest that is still to be given back; null if there is none. */
  synchronized @Nullable Standing next() {
    return areLeft() ? debts.remove() : null;
  }

  private boolean isOver(Standing debt) {
    return debt.isForgotten() || !debt.isOwedTo(member);
  }

  synchronized int size() {
    return debts.size();
  }
}
