package dev.interlock.measure;

import java.util.concurrent.atomic.LongAdder;

/**
 * The critical section of one lock, which notices when two threads are in it at once.
 *
 * <p>Sections are all but empty, so that the lock's cost shows; then two holders would seldom meet.
 * Therefore every {@value #LINGER_EVERY}th section stays for a while, but at most one in 2 ms,
 * which costs 1 % of the time at most however quick the lock is.
 */
final class ExclusionGuard {
  private static final int LINGER_EVERY = 64;
  private static final long LINGER_NANOS = 20_000;
  private static final long NEXT_LINGER_NANOS = 100 * LINGER_NANOS;
  private static final long NOBODY = 0;

  private final LongAdder overlaps = new LongAdder();
  private volatile long holder = NOBODY;

  /** Plain on purpose: only the lock that is measured keeps updates from being lost. */
  private long sections;

  private long nextLinger = System.nanoTime();

  /**
   * Runs one section. To be called with the lock held.
   *
   * @param thread not 0
   * @param number which of the thread's sections it is
   */
  void enter(long thread, long number) {
    if (holder != NOBODY) {
      overlaps.increment();
    }
    holder = thread;
    long before = sections;
    if (number % LINGER_EVERY == 0) {
      linger();
    }
    sections = before + 1;
    if (holder != thread) {
      overlaps.increment();
    }
    holder = NOBODY;
  }

  private void linger() {
    long now = System.nanoTime();
    if (now - nextLinger < 0) {
      return;
    }
    nextLinger = now + NEXT_LINGER_NANOS;
    long end = now + LINGER_NANOS;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** Returns how often two were seen in the section at once. */
  long overlaps() {
    return overlaps.sum();
  }

  /** Returns how many sections were counted; fewer than there were if updates got lost. */
  long sections() {
    return sections;
  }
}
