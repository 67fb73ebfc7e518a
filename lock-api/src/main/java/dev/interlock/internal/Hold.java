package dev.interlock.internal;

import dev.interlock.LostReason;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One owner's time with a lock, from its first entry to its last exit. Entries are counted here, in
 * the JVM; the server knows one hold.
 */
final class Hold {

  /** What an exit did. */
  enum Exit {
    /** Other entries remain. */
    MORE,
    /** It was the last entry: the lock must be given up. */
    LAST,
    /** The hold had been lost or had run out before. */
    LOST
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
  private final CompletableFuture<LostReason> lost = new CompletableFuture<>();

  private volatile State state = State.HELD;
  // Guarded by this.
  private int entries = 1;
  private int renewingEntries;
  private final BitSet renewingFlags = new BitSet();
  private @Nullable LostReason reason;

  Hold(RemoteHold remote, Grantee grantee, long token) {
    this.remote = remote;
    this.grantee = grantee;
    this.token = token;
    this.renewingFlags.set(0, grantee.renewing());
    this.renewingEntries = grantee.renewing() ? 1 : 0;
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

  long token() {
    return token;
  }

  long since() {
    return since;
  }

  CompletableFuture<LostReason> lost() {
    return lost;
  }

  boolean isPassable() {
    return grantee.isPassable();
  }

  boolean isValid() {
    return state == State.HELD && remote.isValidAt(System.nanoTime());
  }

  /** Nanoseconds of validity that are left. */
  long remaining() {
    long left = remote.validUntil() - System.nanoTime();
    return state == State.HELD ? Math.max(0, left) : 0;
  }

  synchronized boolean isRenewing() {
    return state == State.HELD && renewingEntries > 0;
  }

  /** Its thread has ended, so nobody can release it. */
  boolean isOrphan() {
    return grantee.owner() instanceof Thread thread && !thread.isAlive();
  }

  synchronized int entries() {
    return isValid() ? entries : 0;
  }

  synchronized @Nullable LostReason reason() {
    return reason;
  }

  /** Adds an entry, if the hold is valid. */
  synchronized boolean enter(boolean renewing) {
    if (!isValid()) {
      return false;
    }
    renewingFlags.set(entries, renewing);
    entries++;
    renewingEntries += renewing ? 1 : 0;
    return true;
  }

  /** Takes back the latest entry of an owner whose entries are nested: a thread. */
  synchronized Exit exitLatest() {
    return exit(renewingFlags.get(entries - 1));
  }

  synchronized Exit exit(boolean renewing) {
    if (!isValid()) {
      return Exit.LOST;
    }
    entries--;
    renewingEntries -= renewing ? 1 : 0;
    if (entries > 0) {
      return Exit.MORE;
    }
    state = State.RELEASED;
    return Exit.LAST;
  }

  /** Ends the hold without a release. Answers false if it had ended before. */
  synchronized boolean lose(LostReason why) {
    if (state != State.HELD) {
      return false;
    }
    state = State.LOST;
    reason = why;
    return true;
  }
}
