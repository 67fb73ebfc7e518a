package dev.interlock.mysql;

import dev.interlock.spi.HoldId;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of this client that it knows to be in the tables. Only a help to find them by their
 * primary key: an entry that is missing here is looked up by its id. Thread-safe.
 */
final class Entries {
  private final ConcurrentHashMap<HoldId, KnownEntry> known = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Integer> waiters = new ConcurrentHashMap<>();

  void put(KnownEntry entry) {
    KnownEntry old = known.put(entry.id(), entry);
    if (old != null) {
      uncount(old);
    }
    if (entry.kind() == Entry.WAITER) {
      waiters.merge(entry.name(), 1, Integer::sum);
    }
  }

  void remove(HoldId id) {
    KnownEntry old = known.remove(id);
    if (old != null) {
      uncount(old);
    }
  }

  private void uncount(KnownEntry entry) {
    if (entry.kind() == Entry.WAITER) {
      waiters.computeIfPresent(entry.name(), (name, count) -> count == 1 ? null : count - 1);
    }
  }

  @Nullable
  KnownEntry get(HoldId id) {
    return known.get(id);
  }

  /** Whether a waiter of this client stands in the queue of this lock. */
  boolean isAwaited(String name) {
    return waiters.containsKey(name);
  }

  boolean hasWaiters() {
    return !waiters.isEmpty();
  }
}
