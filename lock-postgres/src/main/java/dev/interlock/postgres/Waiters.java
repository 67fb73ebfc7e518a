package dev.interlock.postgres;

import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.ReleasePace;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The waiters of this client that it knows to stand in the server's queues. Decides nothing but
 * what goes along with what. Thread-safe.
 */
final class Waiters {
  private static final class Queue {
    final Set<HoldId> ids = ConcurrentHashMap.newKeySet();
    final ReleasePace pace = new ReleasePace();
  }

  private final ConcurrentHashMap<String, Queue> queues = new ConcurrentHashMap<>();

  void put(String name, HoldId id) {
    queues.compute(name, (key, old) -> {
      Queue queue = old == null ? new Queue() : old;
      queue.ids.add(id);
      return queue;
    });
  }

  void remove(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.ids.remove(id);
      return queue.ids.isEmpty() ? null : queue;
    });
  }

  /** How many wait for a lock. */
  int count(String name) {
    Queue queue = queues.get(name);
    return queue == null ? 0 : queue.ids.size();
  }

  /** Notes that this client releases a lock. */
  void releases(String name) {
    Queue queue = queues.get(name);
    if (queue != null) {
      queue.pace.released();
    }
  }

  /**
   * For how long an attempt may wait for a release by this client to take it along: zero if no
   * waiter of this client stands in the queue, for then it may get the lock at once.
   */
  long rideNanos(String name) {
    Queue queue = queues.get(name);
    return queue == null ? 0 : queue.pace.patienceNanos();
  }
}
