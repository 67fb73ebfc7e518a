package dev.interlock.internal.engine;

import dev.interlock.LockException;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.Renewals;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;

/**
 * Keeps the entries of this client's waiters in the server's queues alive, in batches, and so also
 * finds grants of which the message was lost.
 */
final class ServerQueue {
  private static final Duration REFRESH_RETRY = Duration.ofMillis(500);

  private final Contention contention;
  private final Holds holds;
  private final Leftovers leftovers;
  private final Agenda agenda;
  private final Renewals renewals;

  ServerQueue(
      Contention contention, Holds holds, Leftovers leftovers, Agenda agenda, Renewals renewals) {
    this.contention = contention;
    this.holds = holds;
    this.leftovers = leftovers;
    this.agenda = agenda;
    this.renewals = renewals;
  }

  /** Sees to an entry that must be refreshed within some time. */
  void watch(Waiter waiter, Duration recheck) {
    long pause = Math.max(Waiter.SHORTEST_RECHECK, Validity.nanos(recheck));
    agenda.put(waiter.ticket(), System.nanoTime() + pause);
    if (!waiter.isWaiting()) {
      agenda.remove(waiter.ticket());
    }
  }

  /** Asks for a waiter after events may have been lost. */
  void check(Waiter waiter) {
    if (waiter.isQueued()) {
      refresh(waiter);
    } else if (waiter.hasResidue()) {
      waiter.mustConfirm();
      waiter.signal();
    }
  }

  /**
   * The server granted permits to a waiter to whom this client had passed some meanwhile: they go
   * back, and not to others of whom that is so. Answers false if whoever removes what the waiter
   * left on the server removes them.
   */
  boolean grantedAgain(Grant grant) {
    RemoteHold passed = holds.index().takeEntry(grant.name(), grant.id());
    if (passed == null) {
      return false;
    }
    List<HoldId> together = holds.index().takeEntries(grant.name());
    together.add(grant.id());
    leftovers.giveBack(passed, together);
    return true;
  }

  void refresh(Waiter waiter) {
    if (waiter.isWaiting()) {
      renewals.submit(waiter.ticket());
    }
  }

  void refreshed(Waiter waiter, RenewalResult result, long sentAt) {
    waiter.answered();
    if (result instanceof Grant grant) {
      contention.answered(waiter, grant, sentAt);
    } else if (!waiter.isWaiting()) {
      leftovers.strayed(waiter);
    } else if (result instanceof RenewalResult.Queued queued) {
      watch(waiter, queued.recheck());
      if (queued.ownerHolds()) {
        // Its owner got the lock elsewhere: an attempt of its own lets it in beside.
        waiter.mustConfirm();
        waiter.signal();
      }
    } else {
      waiter.mustConfirm(); // its place is lost: it queues again
      waiter.signal();
    }
  }

  void refreshFailed(Waiter waiter, LockException error) {
    if (!waiter.isWaiting()) {
      return;
    }
    if (waiter.faulted(error)) {
      waiter.noRecheck(); // the next batch asks for it, not an attempt of its own
      watch(waiter, REFRESH_RETRY);
    } else {
      contention.finish(waiter);
    }
  }
}
