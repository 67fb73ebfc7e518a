package dev.interlock.measure;

import org.HdrHistogram.Histogram;

/** One thread of a round that takes a whole lock. */
final class Worker extends RoundThread {
  private final SectionLock lock;
  private final ExclusionGuard guard;
  private final Histogram acquire = new Histogram(3);

  Worker(SectionLock lock, ExclusionGuard guard, RoundClock clock, int number) {
    super(clock, number);
    this.lock = lock;
    this.guard = guard;
  }

  @Override
  void section(long number) throws InterruptedException {
    long asked = System.nanoTime();
    lock.lock();
    acquire.recordValue(System.nanoTime() - asked);
    guard.enter(getId(), number);
    lock.unlock();
  }

  Histogram acquire() {
    return acquire;
  }
}
