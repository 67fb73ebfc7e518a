package dev.interlock.internal.engine;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.Unanswered;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to a hold. It ends exactly once: granted, failed, or left by its caller;
 * whoever loses the race to end it must undo what it did.
 *
 * <p>{@link Contention#step} runs for a waiter only when it was signalled or its re-check is due,
 * and never twice at once.
 */
abstract class Waiter {
  /** Faults in a row for longer than this reach the caller, however long it would wait. */
  private static final long FAULT_PATIENCE = 5_000_000_000L;

  /**
   * The same for one that stands in the server's queue: it would lose its place by giving up, and a
   * database needs some time to come back after a crash.
   */
  private static final long QUEUED_FAULT_PATIENCE = 30_000_000_000L;

  private static final long FIRST_BACKOFF = 20_000_000;
  private static final long LONGEST_BACKOFF = 500_000_000;

  /** Keeps a backend that answers "look again at once" from making the engine spin. */
  static final long SHORTEST_RECHECK = 1_000_000;

  static final long NEVER = Long.MAX_VALUE / 2;

  /**
   * A wait that has ended lasts on for so long at the most, in nanoseconds, until the server has
   * removed what it noted of it. A server that takes longer is left to the background.
   */
  static final long REMOVAL = 500_000_000;

  /** How a waiter ends. */
  private sealed interface End {}

  /** Somebody is about to grant it this hold. */
  private record Claimed(HoldId hold) implements End {}

  private record Granted(Hold hold) implements End {}

  private record Failed(LockException error) implements End {}

  private record Left() implements End {}

  private final Grantee grantee;
  private final HoldId id;
  private final long startedAt = System.nanoTime();
  private final long waitNanos;
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final QueueTicket ticket;

  private volatile boolean residue;
  private volatile boolean outcomeUnknown;
  private volatile boolean confirming;
  private volatile boolean queued;
  // Completed once the server has removed what it noted of this waiter; null if it noted nothing.
  private volatile @Nullable CompletableFuture<Boolean> removal;
  private volatile int takenAlong; // written under this
  private volatile long recheckAt = startedAt + NEVER;

  // Only written by the step or renewal that handles this waiter.
  private volatile @Nullable LockException fault;
  private volatile long faultSince;
  private volatile @Nullable Long heardAt;
  private volatile boolean asking;
  private volatile long backoff = FIRST_BACKOFF;

  Waiter(Grantee grantee, HoldId id, @Nullable Duration wait, Contention contention) {
    this.grantee = grantee;
    this.id = id;
    this.waitNanos = wait == null ? NEVER : Math.min(NEVER, Validity.nanos(wait));
    this.ticket = new QueueTicket(this, contention.serverQueue());
  }

  /** Asks for a step soon. Any thread; never blocks. */
  abstract void signal();

  /** Called once, after the end is set. Any thread; never blocks. */
  abstract void ended();

  /** Whether the thread that takes its steps takes those of others too. */
  abstract boolean sharesThread();

  /** A step of it waits for a thread: what it heard before may not be so any more. */
  abstract boolean isLate();

  /** The time of the next look has changed, perhaps to an earlier one. Any thread; never blocks. */
  abstract void rearm();

  final Grantee grantee() {
    return grantee;
  }

  final String name() {
    return grantee.name();
  }

  final HoldId id() {
    return id;
  }

  final QueueTicket ticket() {
    return ticket;
  }

  final long waited() {
    return System.nanoTime() - startedAt;
  }

  /** It asks once, and does not wait. */
  final boolean isSingleAttempt() {
    return waitNanos == 0;
  }

  /** Nanoseconds until the wait is over; negative after. */
  final long timeLeft() {
    return waitNanos - waited();
  }

  /**
   * Makes the attempt to send for it.
   *
   * @param own a hold beside which the server lets its owner in; null for none
   */
  final Attempt toAttempt(int tokens, @Nullable HoldId own) {
    Duration patience = Duration.ofNanos(Math.max(0, timeLeft()));
    if (!patience.isZero()) {
      residue = true;
    }
    Attempt attempt = Attempt.of(name(), id, grantee.label(), Duration.ofNanos(grantee.lease()))
        .withSharedOwner(grantee.sharedOwner())
        .withFair(grantee.fair())
        .withPatience(patience)
        .withPrompt(sharesThread())
        .withTokens(tokens);
    return grantee.isCounted()
        ? attempt.withUnits(grantee.units(), grantee.capacity()).withBeside(own)
        : attempt;
  }

  /** A hold, a queue entry or a note of this waiter may be on the server. */
  final boolean hasResidue() {
    return residue;
  }

  /** A command of this waiter may still be on its way to the server, and run late. */
  final boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  final boolean isWaiting() {
    return end.get() == null;
  }

  /** Reserves this waiter for a hold. Whoever gets true must call {@link #grant} at once. */
  final boolean claim(HoldId hold) {
    return end.compareAndSet(null, new Claimed(hold));
  }

  final void grant(Hold hold) {
    end.set(new Granted(hold));
    ended();
  }

  /** Ends a waiter that was claimed and cannot be granted; one that was has a hold that is lost. */
  final void abort(LockException error) {
    residue = true;
    End how = end.get();
    if (how instanceof Claimed && end.compareAndSet(how, new Failed(error))) {
      ended();
    }
  }

  final boolean fail(LockException error) {
    boolean first = end.compareAndSet(null, new Failed(error));
    if (first) {
      ended();
    }
    return first;
  }

  /** The caller no longer waits. Answers false if it has been granted or has failed before. */
  final boolean leave() {
    return end.compareAndSet(null, new Left());
  }

  /** Ends it, and does what an Error has kept from following its end: others may wait behind it. */
  final void leaveForSure(Contention contention) {
    if (!contention.leave(this) && contention.waiting(id) != null) {
      contention.finish(this);
    }
  }

  final boolean isGrantedBy(HoldId hold) {
    End how = end.get();
    return (how instanceof Claimed claimed && claimed.hold().equals(hold))
        || (how instanceof Granted granted && granted.hold().remote().id().equals(hold));
  }

  /** The hold that it was granted, if it was. */
  final @Nullable Hold granted() {
    return end.get() instanceof Granted granted ? granted.hold() : null;
  }

  /** The hold, or null while waiting and after leaving; throws what it failed with. */
  final @Nullable Hold result() {
    End how = end.get();
    if (how instanceof Failed failed) {
      throw failed.error();
    }
    return how instanceof Granted granted ? granted.hold() : null;
  }

  final @Nullable LockException error() {
    return end.get() instanceof Failed failed ? failed.error() : null;
  }

  /** The server has granted it for a while: the next step must make that the full lease. */
  final void mustConfirm() {
    confirming = true;
  }

  final void setQueued(boolean inServerQueue) {
    queued = inServerQueue;
    mustBeRemoved();
  }

  private synchronized void mustBeRemoved() {
    if (removal == null) {
      removal = new CompletableFuture<>();
    }
  }

  /** A release of this client is about to take an attempt of this waiter along. */
  final synchronized void takenAlong() {
    mustBeRemoved();
    takenAlong++;
  }

  /** That release was answered, or has failed. */
  final synchronized void broughtBack() {
    takenAlong--;
  }

  /** An abandonment might overtake an attempt of this waiter that a release takes along. */
  final boolean isTakenAlong() {
    return takenAlong > 0;
  }

  /** The server has removed what it had of this waiter. */
  final void removed() {
    CompletableFuture<Boolean> done = removal;
    if (done != null) {
      done.complete(true);
    }
  }

  /** The removal of what it left; null if the server never noted it, or gave no last answer. */
  final @Nullable CompletableFuture<Boolean> removal() {
    return fault == null ? removal : null;
  }

  /** It stands in the server's queue, as far as this client knows. */
  final boolean isQueued() {
    return queued;
  }

  final boolean isConfirming() {
    return confirming;
  }

  /** An attempt is about to be sent; one that is asked for from now on needs another. */
  final void beginConfirming() {
    confirming = false;
  }

  /** An attempt for it is under way. */
  final void setAsking(boolean underWay) {
    asking = underWay;
  }

  final boolean isAsking() {
    return asking;
  }

  final void answered() {
    heardAt = System.nanoTime();
    fault = null;
    backoff = FIRST_BACKOFF;
  }

  final void recheckIn(long nanos) {
    recheckAt = System.nanoTime() + Math.max(SHORTEST_RECHECK, nanos);
    rearm(); // it may sleep until a later time: a release of another thread has asked for it
  }

  final void noRecheck() {
    recheckAt = startedAt + NEVER;
  }

  /** It counts on a signal from this client alone. */
  final boolean hasNoRecheck() {
    return recheckAt == startedAt + NEVER;
  }

  final boolean isRecheckDue() {
    return System.nanoTime() - recheckAt >= 0;
  }

  /** Nanoseconds until something must happen without a signal. */
  final long pause() {
    return Math.min(timeLeft(), recheckAt - System.nanoTime());
  }

  final void hasLeftResidue() {
    residue = true;
  }

  final void outcomeUnknown() {
    outcomeUnknown = true;
    residue = true;
  }

  final boolean hasFault() {
    return fault != null;
  }

  /** What its last attempt failed with. */
  final @Nullable LockException fault() {
    return fault;
  }

  /** Whether it has had an answer since the faults of another waiter began. */
  final boolean hasHeardSinceFaultOf(Waiter other) {
    return hasHeardSince(other.faultSince);
  }

  final boolean hasHeardSince(long moment) {
    Long at = heardAt;
    return at != null && at - moment >= 0;
  }

  /**
   * Whether it has waited long enough to end with another one for which faults have lasted too
   * long: it may have come a little later.
   */
  final boolean isOutOfPatience() {
    return !queued && waited() >= FAULT_PATIENCE / 2;
  }

  /**
   * Notes a fault and plans the next try.
   *
   * @return false if faults have lasted too long, and the waiter has failed with this one
   */
  final boolean faulted(LockException error) {
    long now = System.nanoTime();
    LockException before = fault;
    if (before == null) {
      faultSince = now;
    }
    boolean mayHold = queued || before instanceof OutcomeUnknownException;
    LockException found = mayHold ? Unanswered.after(before, error) : error;
    fault = found;
    long patience = queued ? QUEUED_FAULT_PATIENCE : FAULT_PATIENCE;
    if (now - faultSince >= patience && fail(found)) {
      return false;
    }
    // Jitter: many clients that lost the same server must not return in step.
    recheckIn(ThreadLocalRandom.current().nextLong(backoff / 2, backoff));
    backoff = Math.min(LONGEST_BACKOFF, backoff * 2);
    return true;
  }
}
