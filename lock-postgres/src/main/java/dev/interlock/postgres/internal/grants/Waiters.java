package dev.interlock.postgres.internal.grants;

import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.ReleasePace;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client that it knows to stand in the server's queues. Decides nothing but
 * what goes along with what. Thread-safe.
 */
public final class Waiters {
  /**
   * What a waiter knows since its latest answer: that it did not have the lock at a moment after it
   * asked, when all tokens of the lock that had been given out were at most this large.
   *
   * @param askedAt by this client's clock
   * @param tokensBefore the largest token; 0 if it is not known
   * @param leaseUs the lease that it wants
   */
  public record Look(long askedAt, long tokensBefore, long leaseUs) {
    private static Look none() {
      return new Look(System.nanoTime(), 0, 0);
    }

    /** An answer that was slower tells of an earlier moment. */
    private Look orLater(Look other) {
      return other.askedAt - askedAt > 0 ? other : this;
    }

    private boolean serves(Message.Told grant) {
      return tokensBefore > 0
          && grant.token() > tokensBefore
          && leaseUs > grant.us()
          && System.nanoTime() - askedAt < TimeUnit.MICROSECONDS.toNanos(grant.us()) / 3;
    }
  }

  private static final class Queue {
    final Set<HoldId> coming = ConcurrentHashMap.newKeySet();
    final Map<HoldId, Look> ids = new ConcurrentHashMap<>();
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
  public void comes(String name, HoldId id) {
    queues.compute(name, (key, old) -> {
      Queue queue = old == null ? new Queue() : old;
      if (!queue.ids.containsKey(id)) {
        queue.coming.add(id);
      }
      return queue;
    });
  }

  /** Its answer is that it waits, which counts unless it was granted the lock meanwhile. */
  public void stands(String name, HoldId id, Look look) {
    queues.computeIfPresent(name, (key, queue) -> {
      if (queue.coming.remove(id)) {
        queue.ids.put(id, look);
      } else {
        queue.ids.computeIfPresent(id, (same, known) -> look.orLater(known));
      }
      return queue;
    });
  }

  /**
   * Since when a grant of which a message tells can count: a time before the grant. There is none,
   * so that only the server can tell, if the grant may be an earlier one that was taken back, if a
   * good part of its time may be over, or if the waiter would have all of its lease by it, which
   * had better begin now.
   */
  OptionalLong since(String name, HoldId id, Message.Told grant) {
    Queue queue = queues.get(name);
    Look look = queue == null ? null : queue.ids.get(id);
    return look != null && look.serves(grant)
        ? OptionalLong.of(look.askedAt)
        : OptionalLong.empty();
  }

  /**
   * A grant to it was taken away, of which it may hear later: then it must look, unless it asked
   * after this and waits.
   */
  void doubt(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.ids.replace(id, Look.none());
      return queue;
    });
  }

  /** It was not answered. If it stood there before, it still does. */
  public void failed(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.coming.remove(id);
      return queue.unlessEmpty();
    });
  }

  public void remove(String name, HoldId id) {
    queues.computeIfPresent(name, (key, queue) -> {
      queue.coming.remove(id);
      queue.ids.remove(id);
      return queue.unlessEmpty();
    });
  }

  /** How many wait for a lock. */
  public int count(String name) {
    Queue queue = queues.get(name);
    return queue == null ? 0 : queue.ids.size();
  }

  /** Notes that this client releases a lock. */
  public void releases(String name) {
    Queue queue = queues.get(name);
    if (queue != null) {
      queue.pace.released();
    }
  }

  /**
   * For how long an attempt may wait for a release by this client to take it along: zero if no
   * waiter of this client stands in the queue, for then it may get the lock at once.
   */
  public long rideNanos(String name) {
    Queue queue = queues.get(name);
    return queue == null || queue.ids.isEmpty() ? 0 : queue.pace.patienceNanos();
  }
}
