package dev.interlock.internal.engine;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the holds that this client gives up, before it looks who waits. A waiter that saw the lock
 * held elsewhere compares, once it is in the queue, so that no release slips between. Thread-safe.
 */
final class Departures {
  private static final int STRIPES = 64; // a power of two

  private final AtomicIntegerArray counts = new AtomicIntegerArray(STRIPES);

  /** How many there have been of this lock, and maybe of others: grows. */
  int of(String name) {
    return counts.get(stripe(name));
  }

  void note(String name) {
    counts.incrementAndGet(stripe(name));
  }

  private static int stripe(String name) {
    int hash = name.hashCode();
    return (hash ^ (hash >>> 16)) & (STRIPES - 1);
  }
}
