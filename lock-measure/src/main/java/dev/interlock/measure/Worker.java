package dev.interlock.measure;

import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread of a round. What it measured may be read once its thread has ended. */
final class Worker implements Runnable {
  private final SectionLock lock;
  private final ExclusionGuard guard;
  private final RoundClock clock;
  private final CountDownLatch ready;
  private final Histogram acquire = new Histogram(3);
  private long inTime;
  private long all;
  private @Nullable Throwable failure;

  Worker(SectionLock lock, ExclusionGuard guard, RoundClock clock, CountDownLatch ready) {
    this.lock = lock;
    this.guard = guard;
    this.clock = clock;
    this.ready = ready;
  }

  @Override
  public void run() {
    try {
      ready.countDown();
      clock.awaitStart();
      long self = Thread.currentThread().getId();
      while (clock.isRunning()) {
        section(self);
      }
    } catch (Throwable e) {
      // Whatever it is, the round is not worth reporting, and the report must say why.
      failure = e;
      clock.stop();
    }
  }

  private void section(long self) throws InterruptedException {
    long asked = System.nanoTime();
    lock.lock();
    acquire.recordValue(System.nanoTime() - asked);
    guard.enter(self, all++);
    lock.unlock();
    if (clock.isRunning()) {
      inTime++;
    }
  }

  Histogram acquire() {
    return acquire;
  }

  /** Returns the sections that ended within the round. */
  long inTime() {
    return inTime;
  }

  /** Returns all sections, also those of the threads that still waited when the round was over. */
  long all() {
    return all;
  }

  @Nullable
  Throwable failure() {
    return failure;
  }
}
