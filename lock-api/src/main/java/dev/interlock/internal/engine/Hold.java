package dev.interlock.internal.engine;

import dev.interlock.LockKind;
import dev.interlock.LostReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One owner's time with a lock, from its first entry to its last exit. Entries are counted here, in
 * the JVM; the server knows one hold.
 */
class Hold {

  /** What an exit did. */
  enum Exit {
    /** Other entries remain. */
    MORE,
    /** It was the last entry: the lock must be given up. */
    LAST,
    /** The hold had been lost or had run out before. */
    LOST
  }

  /** One entry; told from others by its identity. */
  static final class Entry {
    private final boolean renewing;

    private Entry(boolean renewing) {
      this.renewing = renewing;
    }

    private boolean renewing() {
      return renewing;
    }
  }

  private enum State {
    HELD,
    RELEASED,
    LOST
  }

  private final RemoteHold remote;
  private final Grantee grantee;
  private final long token;
  private final long since = System.nanoTime();
  private final LossSignal lost = new LossSignal();

  private volatile State state = State.HELD;
  // Guarded by this.
  private final List<Entry> entries = new ArrayList<>(1); // in the order in which they began
  private @Nullable LostReason reason;
  private long endedAt;
  // Not this object's monitor: an application's listener may run under it.
  private final ReentrantLock telling = new ReentrantLock();
  private boolean beginBeingTold;
  private boolean beginTold;
  private boolean endTold;

  Hold(RemoteHold remote, Grantee grantee, long token) {
    this.remote = remote;
    this.grantee = grantee;
    this.token = token;
    entries.add(new Entry(grantee.renewing()));
  }

  RemoteHold remote() {
    return remote;
  }

  String name() {
    return grantee.name();
  }

  Grantee grantee() {
    return grantee;
  }

  LockKind kind() {
    return grantee.kind();
  }

  long token() {
    return token;
  }

  /** From its grant to its end, in nanoseconds. */
  synchronized long held() {
    return (state == State.HELD ? System.nanoTime() : endedAt) - since;
  }

  LossSignal lost() {
    return lost;
  }

  boolean isPassable() {
    return grantee.isPassable();
  }

  boolean isValid() {
    return state == State.HELD && remote.isValidAt(System.nanoTime());
  }

  /** Whether it was given up or lost. */
  boolean hasEnded() {
    return state != State.HELD;
  }

  /** Nanoseconds of validity that are left. */
  long remaining() {
    long left = remote.leftAt(System.nanoTime());
    return state == State.HELD ? Math.max(0, left) : 0;
  }

  synchronized boolean isRenewing() {
    return state == State.HELD && entries.stream().anyMatch(Entry::renewing);
  }

  /**
   * Whether the server may keep it for longer than its validity here: a renewal on its way, or an
   * extension without an answer, would lock everybody out once more.
   */
  boolean mayStay() {
    return isRenewing() || remote.mayOutlastValidity();
  }

  /** Its thread has ended, so nobody can release it. */
  boolean isOrphan() {
    return grantee.owner() instanceof Thread thread && !thread.isAlive();
  }

  synchronized int entries() {
    return isValid() ? entries.size() : 0;
  }

  synchronized @Nullable LostReason reason() {
    return reason;
  }

  /** Adds an entry, if the hold is valid. */
  synchronized boolean enter(boolean renewing) {
    if (!isValid()) {
      return false;
    }
    entries.add(new Entry(renewing));
    return true;
  }

  /** The latest entry, of an owner whose entries are nested: a thread. */
  synchronized Entry innermost() {
    return entries.get(entries.size() - 1);
  }

  synchronized boolean has(Entry entry) {
    return entries.contains(entry);
  }

  /** Takes back one of the entries of this kind, which are all the same to the hold. */
  synchronized Exit exit(boolean renewing) {
    int last = entries.size() - 1;
    while (last > 0 && entries.get(last).renewing() != renewing) {
      last--;
    }
    return exit(entries.get(last));
  }

  /** Takes back an entry that it has. */
  synchronized Exit exit(Entry entry) {
    if (!isValid()) {
      return Exit.LOST;
    }
    entries.remove(entry);
    if (!entries.isEmpty()) {
      return Exit.MORE;
    }
    end(State.RELEASED);
    return Exit.LAST;
  }

  /** Takes back an entry of a fixed lease. Whichever exit is the last leaves it to the server. */
  synchronized Exit keep() {
    if (isValid()) {
      remote.keep();
    }
    return exit(false);
  }

  private void end(State how) {
    state = how;
    endedAt = System.nanoTime();
  }

  /** Ends the hold without a release. Answers false if it had ended before. */
  synchronized boolean lose(LostReason why) {
    if (state != State.HELD) {
      return false;
    }
    end(State.LOST);
    reason = why;
    return true;
  }

  /** Its release found that the server no longer had it. */
  synchronized void foundGone() {
    state = State.LOST;
    reason = reason == null ? LostReason.GONE : reason;
  }

  /** It was taken away. Matters if its release is under way, and nobody was told of that yet. */
  synchronized void robbed() {
    if (state == State.RELEASED && !endTold) {
      state = State.LOST;
      reason = LostReason.FORCED;
    }
  }

  /** Answers true to the first who asks: who must tell that it has begun. */
  synchronized boolean beginsToTell() {
    boolean first = !beginBeingTold;
    beginBeingTold = true;
    return first;
  }

  /** Held by who tells of its begin or of its end. */
  ReentrantLock telling() {
    return telling;
  }

  synchronized void beginTold() {
    beginTold = true;
  }

  /** Answers true once, after its end and after its begin was told: who must tell the end. */
  synchronized boolean tellEnd() {
    boolean tell = beginTold && !endTold && state != State.HELD;
    endTold |= tell;
    return tell;
  }
}
