package dev.interlock.contract;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How much later than asked for a thread wakes up here, at the worst: what a busy machine takes.
 * Thread-safe.
 */
public final class Lateness implements AutoCloseable {
  private static final long TICK = Duration.ofMillis(10).toNanos();

  private final AtomicLong worst = new AtomicLong();
  private volatile long before = System.nanoTime();
  private volatile boolean closed;

  /** Measures from now on. */
  public Lateness() {
    Thread thread = new Thread(this::measure, "lateness");
    thread.setDaemon(true);
    thread.start();
  }

  private void measure() {
    while (!closed) {
      LockSupport.parkNanos(TICK);
      long now = System.nanoTime();
      worst.accumulateAndGet(now - before - TICK, Math::max);
      before = now;
    }
  }

  /** Forgets what was. */
  public void reset() {
    worst.set(0);
  }

  /** The worst since then, also of a wake-up that is due: others may have woken up before. */
  public long nanos() {
    return Math.max(worst.get(), System.nanoTime() - before - TICK);
  }

  @Override
  public void close() {
    closed = true;
  }
}
