package dev.interlock.internal.engine;

import dev.interlock.internal.running.Abandonments;
import dev.interlock.spi.HoldId;
import java.util.List;

/** Sees to it that nothing stays on the server of a waiter or a hold that has ended here. */
final class Leftovers {
  /** For so long, in nanoseconds, a server keeps the place of a waiter that is not heard of. */
  private static final long LONGEST_QUEUED = 30_000_000_000L;

  private final Abandonments abandonments;

  Leftovers(Abandonments abandonments) {
    this.abandonments = abandonments;
  }

  /** Of one that a release has taken along nothing yet: that release comes back to it. */
  void abandon(Waiter waiter) {
    abandon(waiter, waiter::removed);
  }

  /** Of a waiter that has got the lock by another hold, whose release removes it at the latest. */
  void abandonEntry(Waiter waiter, RemoteHold remote) {
    abandon(waiter, () -> remote.heirs().removed(waiter.id()));
  }

  private void abandon(Waiter waiter, Runnable removed) {
    if (!waiter.isTakenAlong()) {
      abandonments.add(
          waiter.name(),
          waiter.id(),
          entryLasts(waiter.grantee().lease()),
          waiter.isOutcomeUnknown(),
          removed);
    }
  }

  void abandon(RemoteHold remote) {
    abandonments.add(
        remote.name(), remote.id(), remote.longestAsked(), remote.isRepeated(), Leftovers::nothing);
  }

  /**
   * Of a hold that was declared lost while its validity lasts. Its holder may be within a step that
   * it began because enough of that was left, so the server must not give the lock to others yet.
   */
  void abandonLost(RemoteHold remote, long validUntil) {
    long left = Math.max(0, validUntil - System.nanoTime());
    abandonments.addLater(
        remote.name(),
        remote.id(),
        remote.longestAsked(),
        remote.isRepeated(),
        Leftovers::nothing,
        left);
  }

  /** Queue entries of waiters to whom a hold was passed. */
  void abandon(RemoteHold remote, List<HoldId> entries) {
    long lasts = entryLasts(remote.lease());
    entries.forEach(id -> abandonments.add(remote.name(), id, lasts, false, Leftovers::nothing));
  }

  /**
   * A hold that was granted to one to whom this client had passed the lock, with the queue entries
   * of others of whom that is so: or its permit would go to each of them in turn.
   */
  void giveBack(RemoteHold remote, List<HoldId> granted) {
    abandonments.addTogether(remote.name(), granted, entryLasts(remote.lease()));
  }

  /** What there is to do after the removal where nobody waits for it. */
  private static void nothing() {}

  /** How long the server may keep what an attempt left: a hold, or a place in its queue. */
  private static long entryLasts(long lease) {
    return Math.max(lease, LONGEST_QUEUED);
  }

  /** A command of this waiter was answered: too late, if it has ended meanwhile. */
  void servedLate(Waiter waiter) {
    if (!waiter.isWaiting()) {
      strayed(waiter);
    }
  }

  /** A command of this waiter may have run or may still run, beside what the answers said. */
  void inDoubt(Waiter waiter) {
    waiter.outcomeUnknown();
    servedLate(waiter);
  }

  /**
   * The outcome of a command came when its waiter had ended: what the command may have left must
   * go. If the waiter got that very hold, it stays, unless the command overtook the hold's release.
   * One that was kept has none, and ends with its lease.
   */
  void strayed(Waiter waiter) {
    if (!waiter.isGrantedBy(waiter.id())) {
      abandon(waiter);
      return;
    }
    Hold hold = waiter.granted();
    if (hold != null && hold.remote().isLeaving() && !hold.remote().isKept()) {
      waiter.outcomeUnknown(); // the release looks at this at last
      if (hold.remote().isOver()) {
        abandon(waiter);
      }
    }
  }
}
