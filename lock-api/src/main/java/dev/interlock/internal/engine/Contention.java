package dev.interlock.internal.engine;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.Renewals;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets waiters their locks. Of the waiters of a lock that allow barging, only the first of this
 * client contends on the server, and none while this client holds the lock; each fair waiter, and
 * each of a shared owner, asks the server on its own.
 *
 * <p>No wake-up is lost between waiter and releaser of one client: a waiter enters its queue before
 * it looks whether the lock is held here, a releaser gives up the hold before it looks who waits.
 */
final class Contention {
  private final BackendCalls calls;
  private final Holds holds;
  private final LocalQueues queues;
  private final Agenda agenda;
  private final Leftovers leftovers;
  private final ServerQueue serverQueue;
  private final Passing passing;
  private final WaitErrors errors;
  private final LockListener listener;
  private final HoldNews news;
  private final ConcurrentHashMap<HoldId, Waiter> waiting = new ConcurrentHashMap<>();

  Contention(
      BackendCalls calls,
      Holds holds,
      LocalQueues queues,
      Agenda agenda,
      Renewals renewals,
      Leftovers leftovers,
      LockListener listener,
      HoldNews news) {
    this.calls = calls;
    this.holds = holds;
    this.queues = queues;
    this.agenda = agenda;
    this.leftovers = leftovers;
    this.listener = listener;
    this.news = news;
    this.serverQueue = new ServerQueue(this, holds, leftovers, agenda, renewals);
    this.passing = new Passing(queues, this::waiting);
    this.errors = new WaitErrors(queues, holds);
  }

  ServerQueue serverQueue() {
    return serverQueue;
  }

  WaitErrors errors() {
    return errors;
  }

  /** Whoever waits, or is on the way to. */
  Collection<Waiter> waiting() {
    return waiting.values();
  }

  @Nullable
  Waiter waiting(HoldId id) {
    return waiting.get(id);
  }

  /** Begins a wait. Answers null if it goes on. */
  @Nullable
  Hold start(Waiter waiter) {
    if (!waiter.isSingleAttempt()) {
      begin(waiter);
      return waiter.result();
    }
    Hold hold = tryOnce(waiter);
    if (hold == null) {
      throw errors.timeout(waiter);
    }
    return hold;
  }

  /** One attempt that does not wait. Answers null only if the lock is held by another. */
  @Nullable
  Hold tryOnce(Waiter waiter) {
    calls.requireOpen();
    if (!reenter(waiter)) {
      attempt(waiter);
      if (waiter.isWaiting() && waiter.hasFault() && waiter.waited() < BackendCalls.QUICK_FAULT) {
        attempt(waiter); // the connection may have been stale: cut while it lay in a pool
      }
      if (waiter.isWaiting() && !waiter.hasFault()) {
        reenter(waiter); // the owner may have got the lock by another call meanwhile
      }
      if (leave(waiter) && waiter.hasFault()) {
        throw errors.timeout(waiter);
      }
    }
    return waiter.result();
  }

  /** Makes it known, so that closing ends it. Answers false if it has ended already. */
  boolean enlist(Waiter waiter) {
    waiting.put(waiter.id(), waiter);
    if (calls.isClosed()) {
      fail(waiter, BackendCalls.closedException());
    }
    if (!waiter.isWaiting()) {
      waiting.remove(waiter.id());
      return false;
    }
    return true;
  }

  /** The first step of a waiter, which queues unless it gets its lock at once. */
  private void begin(Waiter waiter) {
    if (!enlist(waiter) || (reenter(waiter) && !waiter.isWaiting())) {
      return;
    }
    int departures = holds.departures().of(waiter.name());
    boolean first = queues.head(waiter.name()) == null && !holds.isHeldHere(waiter.name());
    if (!waiter.hasFault() && (first || waiter.grantee().asksItself())) {
      attempt(waiter); // with a fault its owner has the lock, and would wait for itself
    }
    if (waiter.isWaiting()) {
      listener.waiting(waiter.name(), waiter.grantee().kind());
      queues.enter(waiter);
      boolean missed = !first || holds.departures().of(waiter.name()) != departures;
      if (missed && !waiter.isQueued()) {
        // A release of this client may not have seen it here; the server's queue misses nothing.
        waiter.signal();
      }
      afterEntering(waiter);
    }
  }

  private void afterEntering(Waiter waiter) {
    if (waiter.grantee().owner() instanceof String && !waiter.hasFault()) {
      reenter(waiter); // its owner's grant may not have seen it in the queue
    }
    if (!waiter.isWaiting() && queues.leave(waiter)) {
      queues.signalHead(
          waiter.name()); // it ended while it entered: its successor must not wait for it
    }
  }

  /** Does what there is to do for a waiter that was signalled or whose re-check is due. */
  void step(Waiter waiter) {
    if (!waiter.isWaiting() || reenter(waiter)) {
      return;
    }
    boolean contends = waiter.grantee().asksItself() || waiter.isConfirming();
    if (!contends) {
      contends = queues.head(waiter.name()) == waiter && !holds.isHeldHere(waiter.name());
    }
    if (contends) {
      attempt(waiter);
    } else {
      waiter.noRecheck(); // the one before it, or the holder in this client, will signal it
      if (queues.head(waiter.name()) == waiter && !holds.isHeldHere(waiter.name())) {
        waiter.signal(); // the holder left meanwhile, and saw a waiter with a re-check
      }
    }
  }

  private boolean reenter(Waiter waiter) {
    Grantee grantee = waiter.grantee();
    Hold hold = holds.owners().heldBy(waiter.name(), grantee.owner(), grantee.kind());
    if (hold == null) {
      return false;
    }
    waiter.setAsking(true); // the server, if it takes more lease than is left
    try {
      if (!holds.reenter(hold, waiter.grantee())) {
        return false;
      }
    } catch (LockException e) {
      notExtended(waiter, e);
      return true;
    } finally {
      waiter.setAsking(false);
    }
    if (waiter.claim(hold.remote().id())) {
      grant(waiter, hold);
    } else {
      holds.undoEntry(hold, waiter.grantee().renewing());
    }
    return true;
  }

  /** A re-entry did not get the lease that it needs: a fault is borne as in any other wait. */
  private void notExtended(Waiter waiter, LockException error) {
    if (waiter.isSingleAttempt() || !Extensions.isWorthATry(error)) {
      fail(waiter, error);
    } else if (waiter.isWaiting() && !waiter.faulted(error)) {
      finish(waiter);
    }
  }

  private void attempt(Waiter waiter) {
    calls.enter();
    waiter.setAsking(true);
    try {
      send(waiter);
    } finally {
      waiter.setAsking(false);
      calls.exit();
    }
  }

  private void send(Waiter waiter) {
    long sentAt = calls.beforeSending();
    boolean confirming = waiter.isConfirming();
    waiter.beginConfirming();
    AttemptResult result;
    try {
      HoldId own = holds.owners().writtenBy(waiter.grantee());
      result = calls.attempt(waiter.toAttempt(queues.tokens(waiter), own));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (confirming) {
        waiter.mustConfirm();
      }
      faulted(waiter, e, e instanceof OutcomeUnknownException);
      return;
    } catch (LockException e) {
      fail(waiter, e);
      return;
    }
    answered(waiter, result, sentAt);
  }

  private void faulted(Waiter waiter, LockException error, boolean unknown) {
    if (unknown) {
      waiter.outcomeUnknown();
    }
    if (calls.isClosed()) {
      fail(waiter, BackendCalls.closedException());
    } else if (!waiter.isWaiting()) {
      leftovers.strayed(waiter);
    } else if (!waiter.faulted(error)) {
      errors.outOfPatienceWith(waiter).forEach(one -> fail(one, WaitErrors.unknown(one, error)));
      finish(waiter);
    }
  }

  /** Takes the server's answer to an attempt that was sent for a waiter. */
  void answered(Waiter waiter, AttemptResult result, long sentAt) {
    waiter.answered();
    if (result instanceof Grant grant) {
      take(waiter, grant, sentAt);
    } else if (!waiter.isWaiting()) {
      leftovers.strayed(waiter);
    } else if (result instanceof AttemptResult.Busy busy) {
      waiter.setQueued(false);
      agenda.remove(waiter.ticket());
      waiter.recheckIn(Validity.nanos(busy.recheck()));
    } else if (result instanceof AttemptResult.Queued queued) {
      waiter.setQueued(true);
      waiter.noRecheck();
      serverQueue.watch(waiter, queued.recheck());
    }
  }

  /** Makes a waiter the holder, if it has not ended. */
  private void take(Waiter waiter, Grant grant, long since) {
    if (System.nanoTime() - Validity.until(since, waiter.grantee().leaseOf(grant)) >= 0) {
      // Never returned to the caller. The same attempt again restarts the lease, or waits anew.
      waiter.hasLeftResidue();
      waiter.mustConfirm();
      faulted(
          waiter,
          new BackendUnavailableException(
              "lock '%s': the answer took longer than the lease".formatted(waiter.name())),
          false);
    } else if (waiter.claim(grant.id())) {
      grant(waiter, grant.id(), () -> holds.granted(waiter, grant, since));
    } else if (!serverQueue.grantedAgain(grant)) {
      leftovers.strayed(waiter);
    }
  }

  /** Makes a waiter that was claimed for a hold its holder, or ends it with a fault. */
  private void grant(Waiter waiter, HoldId id, Supplier<Hold> hold) {
    try {
      grant(waiter, hold.get());
    } catch (Throwable e) { // memory, at worst: it would stay between waiting and holding
      holds.revoked(id, LostReason.GONE); // the next entry of its owner must not find it
      waiter.abort(WaitErrors.notTaken(waiter, e));
      finish(waiter);
      throw e;
    }
  }

  /** A waiter was granted the lock by somebody's release. */
  void granted(Waiter waiter, Grant grant, long since) {
    long lease = Validity.nanos(grant.lease());
    if (lease < waiter.grantee().lease() && !waiter.grantee().renewing()) {
      // A fixed lease gets its full time: the server must be asked before the caller may go on.
      waiter.mustConfirm();
      waiter.signal();
      leftovers.servedLate(waiter);
      return;
    }
    take(waiter, grant, since);
  }

  /** Passes a hold, after its last exit, to the first waiter of this client, if that is allowed. */
  boolean pass(Hold from) {
    Waiter to = passing.claimNext(from);
    if (to != null) {
      grant(to, from.remote().id(), () -> holds.pass(from, to.grantee()));
    }
    return to != null;
  }

  private void grant(Waiter waiter, Hold hold) {
    long waited = waiter.waited();
    // First, so that a release by the new holder does not find it among those who wait.
    unlist(waiter);
    news.began(hold, waited); // before its holder can end it
    boolean strayed = waiter.hasResidue() && !hold.remote().accountsFor(waiter.id());
    if (strayed) {
      hold.remote().heirs().strayed(waiter.id());
    }
    waiter.grant(hold);
    if (strayed) {
      leftovers.abandonEntry(waiter, hold.remote());
    }
    if (calls.isClosed() && holds.closed(hold)) {
      leftovers.abandon(hold.remote());
    }
    if (waiter.grantee().owner() instanceof String owner) {
      for (Waiter other : queues.waiters(waiter.name())) {
        if (owner.equals(other.grantee().owner())) {
          other.signal(); // it re-enters
        }
      }
    }
    if (!hold.isValid()) {
      // It may have been lost when this waiter was still the first of its queue, who was told then.
      queues.signalHead(waiter.name());
    }
  }

  /** Ends a waiter with an error, unless it has ended before. */
  void fail(Waiter waiter, LockException error) {
    if (waiter.fail(error)) {
      finish(waiter);
    }
  }

  /** The caller gives up. Answers false if the waiter has ended before: then its result stands. */
  boolean leave(Waiter waiter) {
    calls.enter(); // closing must not send the last abandonments before this one is known
    try {
      boolean left = waiter.leave();
      if (left) {
        finish(waiter);
      }
      return left;
    } finally {
      calls.exit();
    }
  }

  /** Tidies up after a waiter that ended without a hold. */
  void finish(Waiter waiter) {
    boolean wasHead = unlist(waiter);
    if (waiter.hasResidue()) {
      leftovers.abandon(waiter);
    } else if (!waiter.isTakenAlong()) {
      waiter.removed(); // it never asked to wait, so the server has noted nothing
    }
    if (wasHead) {
      queues.signalHead(waiter.name());
    }
  }

  private boolean unlist(Waiter waiter) {
    waiting.remove(waiter.id());
    agenda.remove(waiter.ticket());
    return queues.leave(waiter);
  }

  void close() {
    waiting.values().forEach(waiter -> fail(waiter, BackendCalls.closedException()));
    queues.all().forEach(waiter -> fail(waiter, BackendCalls.closedException()));
  }
}
