package dev.interlock.compare.figures;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.Locks;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Tells when a request of a client begins to wait. */
final class Waiting implements LockListener {
  private static final int LIMIT_SECONDS = 20;

  private final Semaphore begun = new Semaphore(0);

  @Override
  public void waiting(String name) {
    begun.release();
  }

  LockClient open(String uri) {
    return Locks.open(LockConfig.parse(uri).toBuilder().listener(this).build());
  }

  /** Forgets those that have begun to wait. */
  void reset() {
    begun.drainPermits();
  }

  /** Blocks until one more request of the client waits. */
  void await() throws InterruptedException {
    if (!begun.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "no request began to wait within " + LIMIT_SECONDS + " s, though the lock was held");
    }
  }
}
