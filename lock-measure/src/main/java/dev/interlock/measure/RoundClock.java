package dev.interlock.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Starts and ends a round for all its threads. Thread-safe. */
final class RoundClock {
  private final CountDownLatch start = new CountDownLatch(1);
  private final long lengthNanos;
  private volatile boolean stopped;
  private volatile long end;

  RoundClock(Duration length) {
    this.lengthNanos = length.toNanos();
  }

  void awaitStart() throws InterruptedException {
    start.await();
  }

  void start() {
    end = System.nanoTime() + lengthNanos;
    start.countDown();
  }

  boolean isRunning() {
    return !stopped && System.nanoTime() - end < 0;
  }

  /** Ends the round before its time. */
  void stop() {
    stopped = true;
  }
}
