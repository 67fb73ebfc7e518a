package dev.interlock.spring;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.UnsupportedCapabilityException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import org.jspecify.annotations.Nullable;

/**
 * One thread's entries into one lock, as it counts them itself: also those whose lease was lost,
 * which the engine has forgotten, and which the thread must be told of when it unlocks. Used by
 * that thread only.
 *
 * <p>An entry that is made after a loss takes the lock anew. Those further out have it again too:
 * the lock stays held until the outermost one is given up, as Spring Integration's election of
 * leaders expects, which enters and leaves at each heart beat. But a thread whose entry is refused
 * knows that it has lost the lock, and what it takes later stands for itself.
 */
final class ThreadEntries {
  private static final long NONE = -1;

  private final String name;
  private final DistributedLock lock;
  // Entries that were not given up yet, without those in toldLost.
  private int entries;
  // The outermost ones of them that were without the lock for a time.
  private int interrupted;
  // How many of them the engine knows.
  private int taken;
  // The fencing token of the hold that they have, which tells it from what this thread takes later.
  private long token = NONE;
  // Entries whose loss the thread knows of, by a refusal, but which it may give up yet.
  private int toldLost;

  ThreadEntries(String name, DistributedLock lock) {
    this.name = name;
    this.lock = lock;
  }

  boolean isOver() {
    return entries == 0 && toldLost == 0;
  }

  private boolean isHeld() {
    return token != NONE && token == currentToken();
  }

  /** The current thread has locked once more. */
  void entered() {
    if (isHeld()) {
      taken++;
    } else {
      interrupted = entries;
      taken = 1;
      token = currentToken();
    }
    entries++;
  }

  private long currentToken() {
    try {
      return lock.lease().fencingToken();
    } catch (UnsupportedCapabilityException e) {
      return 0; // then all holds of a thread look the same
    } catch (IllegalMonitorStateException e) {
      return NONE; // lost
    }
  }

  /** The current thread wanted to lock once more, and did not get it. */
  void refused() {
    if (!isHeld()) {
      toldLost += entries;
      entries = 0;
      interrupted = 0;
      taken = 0;
      token = NONE;
    }
  }

  /** Asks for more time. Answers false if the lock was lost. */
  boolean extend(Duration ttl) {
    if (!isHeld()) {
      return false;
    }
    try {
      return lock.lease().extend(ttl);
    } catch (IllegalMonitorStateException e) {
      return false; // lost just now
    }
  }

  /**
   * Gives up the latest entry.
   *
   * @throws ConcurrentModificationException if the thread was without the lock for a time
   */
  void exit() {
    if (entries == 0) {
      toldLost--;
      throw lost(null);
    }
    entries--;
    boolean whole = entries >= interrupted;
    interrupted = Math.min(interrupted, entries);
    if (!isHeld()) {
      throw lost(null);
    }
    if (taken > entries) {
      taken--;
      release();
    }
    if (!whole) {
      throw lost(null);
    }
  }

  private void release() {
    try {
      lock.unlock();
    } catch (IllegalMonitorStateException | LeaseLostException e) {
      throw lost(e);
    }
  }

  private ConcurrentModificationException lost(@Nullable RuntimeException cause) {
    return new ConcurrentModificationException(
        "lock '%s' was lost before it was unlocked: others may have changed what it protects"
            .formatted(name),
        cause);
  }
}
