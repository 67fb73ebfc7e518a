package dev.interlock.mysql;

import dev.interlock.mysql.LockMapper.KnownEntry;
import dev.interlock.mysql.LockMapper.PendingGrant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.ReleasePace;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of this client that it knows to be in the tables. Only a help to find them by their
 * primary key: an entry that is missing here is looked up by its id. Thread-safe.
 */
final class Entries {
  private static final int MOST_WANTED = 256;

  private final ConcurrentHashMap<HoldId, KnownEntry> known = new ConcurrentHashMap<>();

  /** The waiters for one lock, by ticket. */
  private static final class Queue {
    final ConcurrentSkipListMap<Long, HoldId> tickets = new ConcurrentSkipListMap<>();
    final ReleasePace pace = new ReleasePace();
  }

  private final ConcurrentHashMap<String, Queue> waiters = new ConcurrentHashMap<>();

  /** A lock, and how many of this client wait for a part of it. */
  private record Wanted(LockKey at, int count) {}

  private final ConcurrentHashMap<String, Wanted> parts = new ConcurrentHashMap<>();

  void put(KnownEntry entry) {
    KnownEntry before = known.put(entry.id(), entry);
    if (entry.equals(before)) {
      return; // or its lock would be missing for a moment among those that are waited for
    }
    if (before != null) {
      leave(before);
    }
    if (entry.kind() == Entry.WAITER) {
      waiters.compute(entry.name(), (name, old) -> {
        Queue queue = old == null ? new Queue() : old;
        queue.tickets.put(entry.ticket(), entry.id());
        return queue;
      });
      if (entry.counted()) {
        wantsPart(entry.name(), entry.at());
      }
    }
  }

  /** Notes where an id stands after a transaction. */
  void note(String name, LockKey at, HoldId id, Transition transition) {
    Entry share = transition.holders().share(id);
    Entry entry = share != null || transition.row().isHeldBy(id) ? share : transition.waiter(id);
    if (entry == null) {
      remove(id);
    } else {
      put(KnownEntry.of(name, at, entry));
    }
  }

  /**
   * Notes that somebody wants a part of a lock, also before its entry is known: it may be granted
   * before the answer to its attempt is here.
   */
  void wantsPart(String name, LockKey at) {
    parts.compute(name, (key, old) -> new Wanted(at, old == null ? 1 : old.count() + 1));
  }

  /** Takes that back. */
  void wantsNoPart(String name) {
    parts.computeIfPresent(
        name, (key, old) -> old.count() == 1 ? null : new Wanted(old.at(), old.count() - 1));
  }

  /** The locks of which this client waits for parts; not more than one statement can bear. */
  List<LockKey> wantedParts() {
    return parts.isEmpty()
        ? List.of()
        : parts.values().stream().limit(MOST_WANTED).map(Wanted::at).toList();
  }

  /** Whether this is known to be a hold, or a waiter, that may share its lock. */
  boolean isCounted(HoldId id) {
    KnownEntry entry = known.get(id);
    return entry != null && entry.counted();
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
        queue.tickets.remove(entry.ticket(), entry.id());
        return queue.tickets.isEmpty() ? null : queue;
      });
      if (entry.counted()) {
        wantsNoPart(entry.name());
      }
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

  /** Notes that this client releases a lock. */
  void releases(String name) {
    Queue queue = waiters.get(name);
    if (queue != null) {
      queue.pace.released();
    }
  }

  /**
   * For how long an attempt may wait for a release by this client to take it along: zero if no
   * waiter of this client stands in the queue.
   */
  long rideNanos(String name) {
    Queue queue = waiters.get(name);
    return queue == null ? 0 : queue.pace.patienceNanos();
  }

  /**
   * How many waiters of this client stand in the queue of this lock; counts no further than that.
   */
  int waiting(String name, int most) {
    Queue queue = waiters.get(name);
    return queue == null ? 0 : (int) queue.tickets.keySet().stream().limit(most).count();
  }

  boolean hasWaiters() {
    return !waiters.isEmpty();
  }

  /**
   * To whom this client may pass a lock that another one granted to it: all entries from the one
   * behind the grant to the last heir are its own. None if one of them is missing here, because the
   * answer to its attempt is still on the way: it must not be overtaken.
   */
  List<HoldId> heirs(String name, PendingGrant grant) {
    Queue queue = waiters.get(name);
    if (queue == null || grant.lastHeir <= grant.ticket) {
      return List.of();
    }
    List<HoldId> heirs = List.copyOf(
        queue.tickets.subMap(grant.ticket, false, grant.lastHeir, true).values());
    return heirs.size() == grant.tokens - 1 ? heirs : List.of();
  }
}
