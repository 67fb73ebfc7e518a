package dev.interlock.measure;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The sections of a lock that is held in parts, which notices when more is held than there is. */
final class UnitsGuard {
  private static final int LINGER_EVERY = 64;
  private static final long LINGER_NANOS = 20_000;

  private final int capacity;
  private final AtomicInteger held = new AtomicInteger();
  private final LongAdder excesses = new LongAdder();

  UnitsGuard(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Runs one section. To be called with the units held.
   *
   * @param number which of the thread's sections it is; some of them stay for a while
   */
  void enter(int units, long number) {
    if (held.addAndGet(units) > capacity) {
      excesses.increment();
    }
    if (number % LINGER_EVERY == 0) {
      long end = System.nanoTime() + LINGER_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }
    held.addAndGet(-units);
  }

  /** Returns how often more was held than there is. */
  long excesses() {
    return excesses.sum();
  }
}
