package dev.interlock.internal.engine;

import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.Clocks;
import dev.interlock.internal.running.Renewals;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A hold as the server knows it. Usually one {@link Hold} long; a client that passes the lock among
 * its own waiters keeps it over several of them, with a fencing token of its reserve for each.
 */
final class RemoteHold extends Agenda.Item implements Renewals.Item {
  /** Bounds of a run of passes: after either, the lock goes through the server again. */
  private static final long LONGEST_RUN = 10_000_000;
  // So that the JVMs of a host do not all come at the same moment.
  private static final long PHASE = ThreadLocalRandom.current().nextInt();

  private final Holds holds;
  private final String name;
  private final HoldId id;
  private final long heldSince = System.nanoTime();
  private final long firstToken;
  private final long lastToken;
  private final Waiter waiter;
  private final Heirs heirs;
  private final Clocks clocks;
  private volatile Hold holder;

  // The longest lease that an entry asked for; each renewal is for this long. Only grows.
  private volatile long lease;
  private volatile long validUntil;
  // The same by the wall clock, which may end it earlier.
  private volatile long wallUntil;
  // What the server was last asked for: less than the lease until a grant is confirmed.
  private volatile long span;
  private volatile long renewAt;
  // What the server may have granted at the most, whether it has answered or not.
  private volatile long longestAsked;
  private volatile long askedUntil;
  private volatile @Nullable LostReason taken;
  private volatile boolean leaving;
  private volatile boolean over;
  private volatile boolean kept;
  private volatile boolean stays;
  private volatile boolean failed;

  RemoteHold(Holds holds, Waiter waiter, Grant grant, long since, Clocks clocks) {
    Grantee grantee = waiter.grantee();
    long granted = grantee.leaseOf(grant);
    this.holds = holds;
    this.clocks = clocks;
    this.name = grantee.name();
    this.id = grant.id();
    this.firstToken = grant.fencingToken();
    this.lastToken = grant.fencingToken() + grant.tokens() - 1;
    this.waiter = waiter;
    this.heirs = new Heirs(grant.heirs());
    this.span = granted;
    this.lease = grantee.lease();
    this.longestAsked = Math.max(granted, grantee.lease());
    this.validUntil = Validity.until(since, granted);
    this.wallUntil = Validity.wallUntil(clocks.wallAt(since), granted);
    this.askedUntil = validUntil;
    this.renewAt = together(validUntil - granted / 3 * 2, granted);
    this.holder = new Hold(this, grantee, grant.fencingToken());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public HoldId id() {
    return id;
  }

  /** A command that asked for it may still be on its way, and run after its release. */
  boolean isRepeated() {
    return waiter.isOutcomeUnknown();
  }

  /** The waiters that may inherit it in the order of the server's queue. */
  Heirs heirs() {
    return heirs;
  }

  /** By which the server knows it, to whomever it was passed. */
  long firstToken() {
    return firstToken;
  }

  /** Whether its release also removes what the attempt of this id left on the server. */
  boolean accountsFor(HoldId attempt) {
    return id.equals(attempt) || heirs.had(attempt);
  }

  /** The server took it away. Also ends a holder to whom it is just being passed. */
  void take(LostReason reason) {
    taken = reason;
  }

  @Nullable
  LostReason taken() {
    return taken;
  }

  /** From now on an answer to an attempt may be older or newer than its release. */
  void leave() {
    leaving = true;
  }

  boolean isLeaving() {
    return leaving;
  }

  /** Its release was answered, or it was lost: nobody will look after it any more. */
  void end() {
    leaving = true;
    over = true;
  }

  boolean isOver() {
    return over;
  }

  /** Its holder leaves it to the server. Before its end: what comes after that must find it. */
  void keep() {
    kept = true;
  }

  boolean isKept() {
    return kept;
  }

  Hold holder() {
    return holder;
  }

  /** When its validity ends, by the clock that says less. */
  long validUntil() {
    long byWall = wallUntil - clocks.wall(); // first: or a pause in between would hasten it
    long now = System.nanoTime();
    return now + Math.min(validUntil - now, byWall);
  }

  boolean isValidAt(long now) {
    return leftAt(now) > 0 && taken == null;
  }

  /** Nanoseconds of validity that are left, by the clock that says less. */
  long leftAt(long now) {
    return Math.min(validUntil - now, wallUntil - clocks.wall());
  }

  /**
   * Whether its time is over for the server, too, and nobody is known to have taken it away: then
   * it may have lasted until its release was called, however late that came to the server.
   */
  boolean hasRunOut() {
    return taken != LostReason.FORCED && askedUntil - System.nanoTime() <= 0;
  }

  /**
   * Takes over what the wall clock says if that is less, so that loss and renewal come in time for
   * it. If it was set back, it says too much, and could hide a later suspend. The wall clock is not
   * read after {@code now}: a pause in between would be taken for a jump.
   */
  private synchronized void compareClocks(long now) {
    long ahead = wallUntil - clocks.wallAt(now) - (validUntil - now);
    if (ahead < 0) {
      validUntil += ahead;
      renewAt += ahead;
    } else {
      wallUntil -= Math.max(0, ahead - Validity.wallAhead(longestAsked));
    }
  }

  /**
   * Keeps it from being passed on, because its holder asks for more beside it. Answers false if
   * that holder has given it up.
   */
  boolean stayWith(Hold current) {
    stays = true;
    return current.isValid(); // it ends before it is looked whether the lock can be passed on
  }

  /** Whether the lock may go to another holder of this client without the server. */
  boolean canPass(Hold from, Grantee to) {
    long now = System.nanoTime();
    long left = leftAt(now);
    boolean room = from.token() < lastToken && now - heldSince < LONGEST_RUN;
    // Not more than its lease either: one that was extended would outlive a crash for longer.
    boolean fits = to.lease() == lease && left > span / 2 && left <= lease;
    boolean same = from.grantee().takesAsMuchAs(to);
    boolean free = taken == null && !stays;
    return room && fits && same && free && from.isPassable() && to.isPassable();
  }

  /** Makes it the next holder's, with the next fencing token of the reserve. */
  Hold pass(Hold from, Grantee to) {
    Hold next = new Hold(this, to, from.token() + 1);
    holder = next;
    return next;
  }

  /** The server is about to be asked for a lease, and may grant it without our hearing of it. */
  synchronized void asking(long now, long forNanos) {
    longestAsked = Math.max(longestAsked, forNanos);
    long until = Validity.until(now, forNanos);
    askedUntil = until - askedUntil > 0 ? until : askedUntil;
  }

  /** The longest time from now that the server may keep it, in nanoseconds. */
  long longestAsked() {
    return longestAsked;
  }

  /** Whether the server may keep it for longer than is known here: an answer is missing. */
  boolean mayOutlastValidity() {
    return askedUntil - validUntil > 0;
  }

  /** The server has confirmed a lease that was asked for at {@code sentAt}. */
  synchronized void extended(long sentAt, long forNanos) {
    long until = Validity.until(sentAt, forNanos);
    if (until - validUntil > 0) {
      wallUntil = Validity.wallUntil(clocks.wallAt(sentAt), forNanos);
      validUntil = until;
      span = forNanos;
    }
    // Counted from the end: a short extension by the holder must not put the renewal off.
    renewAt = together(validUntil - lease / 3 * 2, lease);
  }

  /**
   * Moves a renewal forward by up to an eighth of its interval, to where others of this JVM are
   * due: a batch costs a server hardly more than a single one.
   */
  private static long together(long at, long lease) {
    return at - Math.floorMod(at - PHASE, Math.max(1, lease / 24));
  }

  /** Each later renewal is at least this long. */
  synchronized void atLeast(long forNanos) {
    lease = Math.max(lease, forNanos);
  }

  long lease() {
    return lease;
  }

  /** If it is not to be renewed the least there is, which shortens none and tells if it is held. */
  @Override
  public long needs() {
    return isToBeRenewed() ? lease : Validity.nanos(LockRequest.MIN_LEASE);
  }

  @Override
  public boolean isQueued() {
    return false;
  }

  @Override
  public boolean hasFailed() {
    return failed;
  }

  /** When to look at this hold again: to renew it, or to say in time that it is lost. */
  long nextLook() {
    long at = lossAt();
    at = isToBeRenewed() && renewAt - at < 0 ? renewAt : at;
    return heirs.hasEntries() && heirs.tidyAt() - at < 0 ? heirs.tidyAt() : at;
  }

  private boolean isToBeRenewed() {
    return holder.isRenewing() && !holder.isOrphan();
  }

  private long lossAt() {
    return validUntil - Validity.lead(lease);
  }

  @Override
  public void clocksJumped() {
    due();
  }

  @Override
  public void due() {
    long now = System.nanoTime();
    compareClocks(now);
    if (heirs.hasEntries() && now - heirs.tidyAt() >= 0) {
      holds.abandonPassed(this);
    }
    if (now - lossAt() >= 0) {
      holds.lost(holder, LostReason.EXPIRED);
    } else if (isToBeRenewed() && now - renewAt >= 0) {
      // Looked at again only to declare the loss, unless the renewal succeeds before.
      holds.watch(this, lossAt());
      holds.renew(this);
    } else {
      holds.watch(this, nextLook());
    }
  }

  @Override
  public void renewed(RenewalResult result, long sentAt, long askedFor) {
    failed = false;
    if (isToBeRenewed()) {
      holds.renewed(this, result, sentAt, askedFor);
    } else {
      holds.confirmed(this, result, sentAt, askedFor);
    }
  }

  @Override
  public void renewalFailed(LockException error) {
    failed = true;
    // Soon again, but often enough within the lease that a short fault costs nothing.
    renewAt = System.nanoTime() + Math.min(lease / 20, 1_000_000_000L);
    holds.watch(this, nextLook());
  }
}
