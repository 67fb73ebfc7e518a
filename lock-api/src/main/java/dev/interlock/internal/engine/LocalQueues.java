package dev.interlock.internal.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who waits in this JVM, by lock, in order of arrival. Only the head of a queue contends on the
 * server; fair waiters each stand in the server's queue and are only listed here. A lock without
 * waiters takes no memory.
 */
final class LocalQueues {
  /** Fencing tokens that one grant reserves at the most, and so the longest run of passes. */
  private static final int MOST_TOKENS = 32;

  private static final int STRIPES = 64; // a power of two

  private static final class Queue {
    final Set<Waiter> barging = new LinkedHashSet<>();
    final Set<Waiter> fair = new LinkedHashSet<>();

    Set<Waiter> of(Waiter waiter) {
      return waiter.grantee().fair() ? fair : barging;
    }

    @Nullable
    Waiter head() {
      return barging.isEmpty() ? null : barging.iterator().next();
    }
  }

  private static final class Stripe {
    final Map<String, Queue> queues = new HashMap<>();
  }

  private final Stripe[] stripes = new Stripe[STRIPES];

  LocalQueues() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  void enter(Waiter waiter) {
    Stripe stripe = stripe(waiter.name());
    synchronized (stripe) {
      stripe
          .queues
          .computeIfAbsent(waiter.name(), name -> new Queue())
          .of(waiter)
          .add(waiter);
    }
  }

  /** Answers true if it was the head, so that its successor must be told. */
  boolean leave(Waiter waiter) {
    Stripe stripe = stripe(waiter.name());
    synchronized (stripe) {
      Queue queue = stripe.queues.get(waiter.name());
      if (queue == null) {
        return false;
      }
      boolean wasHead = queue.head() == waiter;
      queue.of(waiter).remove(waiter);
      if (queue.barging.isEmpty() && queue.fair.isEmpty()) {
        stripe.queues.remove(waiter.name());
      }
      return wasHead;
    }
  }

  /** The waiter that contends for its client; null if none waits. */
  @Nullable
  Waiter head(String name) {
    Stripe stripe = stripe(name);
    synchronized (stripe) {
      Queue queue = stripe.queues.get(name);
      return queue == null ? null : queue.head();
    }
  }

  /** The first waiter should try: the lock may be free. */
  void signalHead(String name) {
    Waiter head = head(name);
    if (head != null) {
      head.signal();
    }
  }

  /** The same, if it counts on the holder of this client, which has just left. */
  void signalHeadWithoutRecheck(String name) {
    Waiter head = head(name);
    if (head != null && head.hasNoRecheck()) {
      head.signal();
    }
  }

  /** The same, unless it stands in the server's queue, which tells it. */
  void signalHeadOutsideQueue(String name) {
    Waiter head = head(name);
    if (head != null && head.hasNoRecheck() && !head.isQueued()) {
      head.signal();
    }
  }

  /** How many wait without standing in the server's queue on their own. */
  int barging(String name) {
    Stripe stripe = stripe(name);
    synchronized (stripe) {
      Queue queue = stripe.queues.get(name);
      return queue == null ? 0 : queue.barging.size();
    }
  }

  /** How many fencing tokens a grant to this waiter should reserve for those behind it. */
  int tokens(Waiter waiter) {
    return waiter.grantee().isBarging() ? Math.min(MOST_TOKENS, 1 + barging(waiter.name())) : 1;
  }

  /** Everybody who waits for a lock. */
  List<Waiter> waiters(String name) {
    Stripe stripe = stripe(name);
    synchronized (stripe) {
      List<Waiter> waiters = new ArrayList<>();
      Queue queue = stripe.queues.get(name);
      if (queue != null) {
        waiters.addAll(queue.barging);
        waiters.addAll(queue.fair);
      }
      return waiters;
    }
  }

  /** Everybody who waits for anything. */
  List<Waiter> all() {
    List<Waiter> all = new ArrayList<>();
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        for (Queue queue : stripe.queues.values()) {
          all.addAll(queue.barging);
          all.addAll(queue.fair);
        }
      }
    }
    return all;
  }

  private Stripe stripe(String name) {
    int hash = name.hashCode();
    return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
  }
}
