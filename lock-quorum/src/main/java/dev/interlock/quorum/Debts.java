package dev.interlock.quorum;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What could not be given back to one member, because it failed at that moment. One that fails at
 * once is asked on, and each release adds to it, so it has a bound: of more, the oldest are left to
 * end with their leases. Thread-safe.
 */
final class Debts {
  static final int MOST = 10_000;

  private final Member member;

  // Guarded by this.
  private final Deque<Standing> debts = new ArrayDeque<>();

  Debts(Member member) {
    this.member = member;
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
