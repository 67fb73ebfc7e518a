package dev.interlock.mysql.internal.grants;

import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.Transition;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.ReleasePace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of this client that it knows to be in the tables. Only a help to find them by their
 * primary key: an entry that is missing here is looked up by its id. Thread-safe.
 */
public final class Entries {
  private static final int MOST_WANTED = 256;

  /** For so long, in nanoseconds, a hold is kept that has run out, and no sweep is due. */
  private static final long SWEEP = TimeUnit.MINUTES.toNanos(1);

  /** An entry, and when it ends unless it is noted again: a waiter never does without a word. */
  private record Known(KnownEntry entry, long end) {
    boolean isOver(long now) {
      return entry.kind() == Entry.SHARE && end - now < 0;
    }
  }

  private final ConcurrentHashMap<HoldId, Known> known = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final AtomicLong sweptAt;

  public Entries() {
    this(System::nanoTime);
  }

  /** With a clock of its own, for tests. */
  Entries(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.sweptAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** The waiters for one lock, by ticket. */
  private static final class Queue {
    final ConcurrentSkipListMap<Long, HoldId> tickets = new ConcurrentSkipListMap<>();
    final ReleasePace pace = new ReleasePace();
  }

  private final ConcurrentHashMap<String, Queue> waiters = new ConcurrentHashMap<>();

  /** A lock, and how many of this client wait for a part of it. */
  private record Wanted(LockKey at, int count) {}

  private final ConcurrentHashMap<String, Wanted> parts = new ConcurrentHashMap<>();

  /**
   * Notes an entry. As one step with the list of those who wait: another thread may hear of the
   * grant meanwhile and remove it, and one that stayed in that list would count as a waiter for
   * ever.
   *
   * @param left for how long the server keeps it if it is a hold
   */
  public void put(KnownEntry entry, Duration left) {
    sweep();
    long end = nanoTime.getAsLong() + left.toNanos() + SWEEP;
    known.compute(entry.id(), (id, before) -> {
      boolean same = before != null && entry.equals(before.entry());
      // Or its lock would be missing for a moment among those that are waited for.
      if (!same) {
        if (before != null) {
          leave(before.entry());
        }
        join(entry);
      }
      return new Known(entry, end);
    });
  }

  /**
   * Notes that the server keeps a hold for at least so long from now on. Notes nothing of one that
   * was given up meanwhile.
   */
  public void prolong(HoldId id, Duration left) {
    sweep();
    long end = nanoTime.getAsLong() + left.toNanos() + SWEEP;
    known.computeIfPresent(
        id, (same, old) -> old.end() - end < 0 ? new Known(old.entry(), end) : old);
  }

  /** A hold may end without a word: it was kept, or taken away. */
  private void sweep() {
    long last = sweptAt.get();
    long now = nanoTime.getAsLong();
    if (now - last >= SWEEP && sweptAt.compareAndSet(last, now)) {
      known.values().removeIf(each -> each.isOver(now));
    }
  }

  private void join(KnownEntry entry) {
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
  public void note(String name, LockKey at, HoldId id, Transition transition) {
    Entry share = transition.holders().share(id);
    Entry entry = share != null || transition.row().isHeldBy(id) ? share : transition.waiter(id);
    if (entry == null) {
      remove(id);
    } else {
      put(KnownEntry.of(name, at, entry), transition.left(entry));
    }
  }

  /**
   * Notes that somebody wants a part of a lock, also before its entry is known: it may be granted
   * before the answer to its attempt is here.
   */
  public void wantsPart(String name, LockKey at) {
    parts.compute(name, (key, old) -> new Wanted(at, old == null ? 1 : old.count() + 1));
  }

  /** Takes that back. */
  public void wantsNoPart(String name) {
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
  public boolean isCounted(HoldId id) {
    KnownEntry entry = get(id);
    return entry != null && entry.counted();
  }

  public void remove(HoldId id) {
    known.computeIfPresent(id, (same, old) -> {
      leave(old.entry());
      return null;
    });
  }

  /** Removes an entry that stands in the queue. */
  public void removeWaiter(HoldId id) {
    known.computeIfPresent(id, (same, old) -> {
      if (old.entry().kind() != Entry.WAITER) {
        return old;
      }
      leave(old.entry());
      return null;
    });
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

  public @Nullable KnownEntry get(HoldId id) {
    Known found = known.get(id);
    return found == null ? null : found.entry();
  }

  /** Whether a waiter of this client stands in the queue of this lock. */
  public boolean isAwaited(String name) {
    return waiters.containsKey(name);
  }

  /** Notes that this client releases a lock. */
  public void releases(String name) {
    Queue queue = waiters.get(name);
    if (queue != null) {
      queue.pace.released();
    }
  }

  /**
   * For how long an attempt may wait for a release by this client to take it along: zero if no
   * waiter of this client stands in the queue.
   */
  public long rideNanos(String name) {
    Queue queue = waiters.get(name);
    return queue == null ? 0 : queue.pace.patienceNanos();
  }

  /**
   * How many waiters of this client stand in the queue of this lock; counts no further than that.
   */
  public int waiting(String name, int most) {
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
