package dev.interlock.tck.teststore;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Lets a client come late for a lock that it has had often, for ever. */
final class Latecomers {
  private static final int OFTEN = 200;
  private static final long LATE = Duration.ofMillis(50).toNanos();

  private final Map<String, Integer> had = new ConcurrentHashMap<>();
  // Those that have been sent: who stands in the queue is not late when its turn comes.
  private final Set<HoldId> sent = ConcurrentHashMap.newKeySet();

  /** Waits before an attempt is sent for the first time. */
  void arrive(Attempt attempt, BooleanSupplier isLate) {
    if (sent.add(attempt.id())
        && had.getOrDefault(attempt.name(), 0) >= OFTEN
        && isLate.getAsBoolean()) {
      long end = System.nanoTime() + LATE;
      // The thread may have been told to go on by an earlier wait.
      for (long left = LATE; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  void granted(Attempt attempt) {
    sent.remove(attempt.id());
    had.merge(attempt.name(), 1, Integer::sum);
  }
}
