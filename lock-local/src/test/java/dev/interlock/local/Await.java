package dev.interlock.local;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, not for time. */
final class Await {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(30);

  private Await() {}

  static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT) {
        throw new AssertionError("not within 30 s: " + what);
      }
      LockSupport.parkNanos(500_000);
    }
  }

  /** Lets time pass, for tests of what must not happen meanwhile. */
  static void pass(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    until("time passes", () -> System.nanoTime() - end >= 0);
  }
}
