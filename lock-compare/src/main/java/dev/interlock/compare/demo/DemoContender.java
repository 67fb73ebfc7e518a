package dev.interlock.compare.demo;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One of those who fight for the lock of the demo: takes it, works for a moment, gives it up. */
final class DemoContender {
  static final String NAME = "interlock-demo";
  private static final LockRequest REQUEST =
      LockRequest.of(NAME).withLease(Duration.ofSeconds(5)).renewing();
  private static final int SHORTEST_WORK_MS = 150;
  private static final int LONGEST_WORK_MS = 600;

  private final CountDownLatch end = new CountDownLatch(1);

  /**
   * Fights until {@link #stop()}.
   *
   * @param tell gets a {@link DemoEvent} as one line
   */
  void fight(String uri, Consumer<DemoEvent> tell) throws InterruptedException {
    try (LockClient client = Locks.open(uri)) {
      while (end.getCount() > 0) {
        long asked = System.nanoTime();
        tell.accept(DemoEvent.waits());
        Lease lease = client.acquire(REQUEST);
        tell.accept(DemoEvent.holds(lease.fencingToken(), System.nanoTime() - asked));
        work();
        long token = lease.fencingToken();
        // Told before it happens: told afterwards, it would seem that two hold the lock.
        tell.accept(DemoEvent.releases(token));
        lease.release();
      }
    }
  }

  /** The work that the lock protects; ended early by {@link #stop()}. */
  private void work() throws InterruptedException {
    int millis = ThreadLocalRandom.current().nextInt(SHORTEST_WORK_MS, LONGEST_WORK_MS);
    boolean ended = end.await(millis, TimeUnit.MILLISECONDS);
    assert !ended || end.getCount() == 0;
  }

  void stop() {
    end.countDown();
  }
}
