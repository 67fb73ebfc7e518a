package dev.interlock.mysql;

import dev.interlock.spi.HoldId;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of this client that it knows to be in the tables. Only a help to find them by their
 * primary key: an entry that is missing here is looked up by its id. Thread-safe.
 */
final class Entries {
  private final ConcurrentHashMap<HoldId, KnownEntry> known = new ConcurrentHashMap<>();

  // By lock and ticket.
  private final ConcurrentHashMap<String, ConcurrentSkipListMap<Long, HoldId>> waiters =
      new ConcurrentHashMap<>();

  void put(KnownEntry entry) {
    KnownEntry old = known.put(entry.id(), entry);
    if (old != null) {
      leave(old);
    }
    if (entry.kind() == Entry.WAITER) {
      waiters.compute(entry.name(), (name, queue) -> {
        ConcurrentSkipListMap<Long, HoldId> all =
            queue == null ? new ConcurrentSkipListMap<>() : queue;
        all.put(entry.ticket(), entry.id());
        return all;
      });
    }
  }

  void remove(HoldId id) {
    KnownEntry old = known.remove(id);
    if (old != null) {
      leave(old);
    }
  }

  private void leave(KnownEntry entry) {
    if (entry.kind() == Entry.WAITER) {
      waiters.computeIfPresent(entry.name(), (name, queue) -> {
        queue.remove(entry.ticket(), entry.id());
        return queue.isEmpty() ? null : queue;
      });
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

  /**
   * To whom this client may pass a lock that another one granted to it: all entries from the one
   * behind the grant to the last heir are its own. None if one of them is missing here, because the
   * answer to its attempt is still on the way: it must not be overtaken.
   */
  List<HoldId> heirs(String name, Letter letter) {
    ConcurrentSkipListMap<Long, HoldId> queue = waiters.get(name);
    if (queue == null || letter.lastHeir <= letter.ticket) {
      return List.of();
    }
    List<HoldId> heirs =
        List.copyOf(queue.subMap(letter.ticket, false, letter.lastHeir, true).values());
    return heirs.size() == letter.tokens - 1 ? heirs : List.of();
  }
}
