package dev.interlock.compare.figures;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.Locks;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Tells when requests of clients begin to wait, and how often the server is asked for a lock. */
public final class Waiting implements LockListener {
  private static final int LIMIT_SECONDS = 20;

  private final Semaphore begun = new Semaphore(0);
  private final AtomicLong attempts = new AtomicLong();

  @Override
  public void attempt(String name) {
    attempts.incrementAndGet();
  }

  @Override
  public void waiting(String name) {
    begun.release();
  }

  /** Opens a client that tells it to this. */
  public LockClient open(String uri) {
    return Locks.open(LockConfig.parse(uri).toBuilder().listener(this).build());
  }

  /** How many attempts were sent. */
  public long attempts() {
    return attempts.get();
  }

  /** Forgets those that have begun to wait. */
  void reset() {
    begun.drainPermits();
  }

  /** Blocks until one more request waits. */
  public void await() throws InterruptedException {
    if (!begun.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "no request began to wait within " + LIMIT_SECONDS + " s, though the lock was held");
    }
  }
}
