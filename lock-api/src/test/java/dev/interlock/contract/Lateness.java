package dev.interlock.contract;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How much later than asked for a thread wakes up here, at the worst: what a busy machine takes.
 */
final class Lateness implements AutoCloseable {
  private static final long TICK = Duration.ofMillis(10).toNanos();

  private final AtomicLong worst = new AtomicLong();
  private volatile boolean closed;

  Lateness() {
    Thread thread = new Thread(this::measure, "lateness");
    thread.setDaemon(true);
    thread.start();
  }

  private void measure() {
    long before = System.nanoTime();
    while (!closed) {
      LockSupport.parkNanos(TICK);
      long now = System.nanoTime();
      worst.accumulateAndGet(now - before - TICK, Math::max);
      before = now;
    }
  }

  /** Forgets what was. */
  void reset() {
    worst.set(0);
  }

  /** The worst since then. */
  long nanos() {
    return worst.get();
  }

  @Override
  public void close() {
    closed = true;
  }
}
