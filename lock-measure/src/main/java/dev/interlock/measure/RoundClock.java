package dev.interlock.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Starts and ends a round for all its threads. Thread-safe. */
final class RoundClock {
  private final CountDownLatch ready;
  private final CountDownLatch start = new CountDownLatch(1);
  private final long lengthNanos;
  private volatile boolean stopped;
  private volatile long end;

  RoundClock(Duration length, int threads) {
    this.lengthNanos = length.toNanos();
    this.ready = new CountDownLatch(threads);
  }

  /** Says that the current thread is ready, and waits for the start. */
  void awaitStart() throws InterruptedException {
    ready.countDown();
    start.await();
  }

  /** Starts the round when all threads are ready. */
  void start() throws InterruptedException {
    ready.await();
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
