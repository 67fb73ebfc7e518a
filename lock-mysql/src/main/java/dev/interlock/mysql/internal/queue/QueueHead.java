package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.HoldId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for one lock as far as a transaction has read them: the head of the queue without
 * gaps, and apart from it those that were read for their ids. Does no I/O except for reading on.
 * Not thread-safe.
 */
final class QueueHead {
  private final TreeMap<Long, Entry> head = new TreeMap<>();
  private final TreeMap<Long, Entry> others = new TreeMap<>();
  private final Changes changes;
  private final LongFunction<List<Entry>> readOn;
  private boolean whole;
  private long last;

  /**
   * Starts.
   *
   * @param whole whether the first waiters that are added are all
   * @param changes what the transaction writes
   * @param readOn reads the waiters behind a ticket; an empty answer means that there are none
   */
  QueueHead(boolean whole, Changes changes, LongFunction<List<Entry>> readOn) {
    this.whole = whole;
    this.changes = changes;
    this.readOn = readOn;
  }

  /** Adds one of the first waiters, or a new one at the end. */
  void add(Entry waiter) {
    head.put(waiter.ticket, waiter);
    last = Math.max(last, waiter.ticket);
  }

  /** Adds a waiter that was read for its id, wherever it stands. */
  void addAsked(Entry waiter) {
    if (!head.containsKey(waiter.ticket)) {
      others.put(waiter.ticket, waiter);
    }
  }

  /** Puts a waiter back into its place, whose grant was taken back. */
  void putBack(Entry waiter) {
    while (!whole && waiter.ticket > last) {
      more(); // or those between would be passed
    }
    head.put(waiter.ticket, waiter);
  }

  void remove(Entry waiter) {
    head.remove(waiter.ticket);
    others.remove(waiter.ticket);
  }

  /** Whether nobody stands behind those that were read. */
  boolean isWhole() {
    return whole;
  }

  int size() {
    return head.size();
  }

  @Nullable
  Entry get(long ticket) {
    return head.get(ticket);
  }

  /** The waiter with this id, if it was read. */
  @Nullable
  Entry find(HoldId id) {
    Entry first = find(head.values(), id);
    return first != null ? first : find(others.values(), id);
  }

  static @Nullable Entry find(Collection<Entry> entries, HoldId id) {
    for (Entry entry : entries) {
      if (entry.is(id)) {
        return entry;
      }
    }
    return null;
  }

  /** The next waiter behind a ticket, which reads on where it has to; null if there is none. */
  @Nullable
  Entry after(long ticket) {
    Map.Entry<Long, Entry> next = head.higherEntry(ticket);
    while (next == null && !whole) {
      more();
      next = head.higherEntry(ticket);
    }
    return next == null ? null : next.getValue();
  }

  /** Those behind a ticket, as far as they were read. */
  SortedMap<Long, Entry> behind(long ticket) {
    return head.tailMap(ticket, false);
  }

  /** Whether a waiter of another client stands behind this one that could come in beside others. */
  boolean keepsOut(Entry waiter) {
    return Stream.of(head, others)
        .flatMap(some -> some.tailMap(waiter.ticket, false).values().stream())
        .anyMatch(behind -> behind.isCounted() && behind.client != waiter.client);
  }

  /** Has the waiters of a client passed over until it shows itself. */
  void putToSleep(long client) {
    changes.putToSleep(client);
    for (Entry entry : head.values()) {
      entry.asleep |= entry.client == client;
    }
  }

  private void more() {
    List<Entry> read = readOn.apply(last);
    whole = read.isEmpty();
    for (Entry entry : read) {
      last = Math.max(last, entry.ticket);
      if (!changes.deletedWaiters().contains(entry.ticket)) {
        Entry known = others.remove(entry.ticket);
        Entry waiter = known == null ? entry : known;
        waiter.asleep |= changes.sleepers().contains(waiter.client);
        head.putIfAbsent(waiter.ticket, waiter);
      }
    }
  }
}
