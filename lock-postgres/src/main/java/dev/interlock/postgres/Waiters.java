package dev.interlock.postgres;

import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.ReleasePace;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client that it knows to stand in the server's queues. Decides nothing but
 * what goes along with what. Thread-safe.
 */
final class Waiters {
  private static final class Queue {
    final Set<HoldId> coming = ConcurrentHashMap.newKeySet();
    final Set<HoldId> ids = ConcurrentHashMap.newKeySet();
    final ReleasePace pace = new ReleasePace();

    @Nullable
    Queue unlessEmpty() {
      return coming.isEmpty() && ids.isEmpty() ? null : this;
    }
  }

  private final ConcurrentHashMap<String, Queue> queues = new ConcurrentHashMap<>();

  /**
   * Notes an attempt that is about to be sent. Another client may grant the lock to it before its
   * answer is here; were it noted only after that, it would be taken for a waiter for ever.
   */
  void comes(String name, HoldId id) {
    queues.compute(name, (key, old) -> {
      Queue queue = old == null ? new Queue() : old;
      if (!queue.ids.contains(id)) {
        queue.coming.add(id);
      }
      return queue;
    });
  }

  /** Its answer is that it waits, which counts unless it was granted the lock meanwhile. */
  void stands(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      if (queue.coming.remove(id)) {
        queue.ids.add(id);
      }
      return queue;
    });
  }

  /** It was not answered. If it stood there before, it still does. */
  void failed(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.coming.remove(id);
      return queue.unlessEmpty();
    });
  }

  void remove(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.coming.remove(id);
      queue.ids.remove(id);
      return queue.unlessEmpty();
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
    return queue == null || queue.ids.isEmpty() ? 0 : queue.pace.patienceNanos();
  }
}
