package dev.interlock.internal.engine;

import dev.interlock.spi.HoldId;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client that stand directly behind a grant in the server's queue. The lock is
 * passed to them without the server; their entries stay in the queue meanwhile, so that those to
 * whom it has not been passed keep their places if the client dies. Thread-safe.
 */
final class Heirs {
  /** A holder that keeps the lock for longer must not be counted among those who wait. */
  private static final long LINGER = 50_000_000;

  private final Queue<HoldId> next;

  // Those whose entries the server still has.
  private final Set<HoldId> passed = ConcurrentHashMap.newKeySet();
  private final Set<HoldId> all = ConcurrentHashMap.newKeySet();

  // Of others who got the lock within the client, until their abandonment is confirmed.
  private final Set<HoldId> strays = ConcurrentHashMap.newKeySet();
  private volatile long tidyAt;

  Heirs(Collection<HoldId> heirs) {
    this.next = new ConcurrentLinkedQueue<>(heirs);
  }

  @Nullable
  HoldId peek() {
    return next.peek();
  }

  /** Drops the first one, who has left. */
  void skip() {
    next.poll();
  }

  /** Notes that the first one has the lock now. */
  void passed() {
    HoldId heir = next.poll();
    if (heir != null) {
      all.add(heir);
      passed.add(heir);
      tidyAt = System.nanoTime() + LINGER;
    }
  }

  /**
   * Takes the entry of one to whom the lock was passed over: nobody else removes it any more.
   * Answers false if that was not so, or if its removal is on the way.
   */
  boolean takeEntry(HoldId heir) {
    return passed.remove(heir);
  }

  /** Whether the lock was passed to this one. */
  boolean had(HoldId id) {
    return all.contains(id);
  }

  /**
   * Notes the entry of a waiter that got the lock otherwise. It is being abandoned; if the release
   * is quicker, it must remove the entry, or the lock would be granted to one who no longer waits.
   */
  void strayed(HoldId id) {
    strays.add(id);
  }

  void removed(HoldId id) {
    strays.remove(id);
  }

  boolean hasEntries() {
    return !passed.isEmpty();
  }

  /** When to remove the entries of those that have had the lock, if there are any. */
  long tidyAt() {
    return tidyAt;
  }

  /** Hands over the responsibility for the entries. */
  List<HoldId> takeEntries() {
    if (passed.isEmpty() && strays.isEmpty()) {
      return List.of(); // as with nearly all, of which there may be thousands
    }
    return Stream.of(passed, strays)
        .flatMap(entries -> List.copyOf(entries).stream().filter(entries::remove))
        .toList();
  }
}
