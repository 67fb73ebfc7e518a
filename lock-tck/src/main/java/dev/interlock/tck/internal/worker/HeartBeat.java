package dev.interlock.tck.internal.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread that sleeps for short times, and tells when one of them was long. */
final class HeartBeat {
  private static final Duration TICK = Duration.ofMillis(20);

  private HeartBeat() {}

  /** Beats until the JVM ends. */
  static void start(String who, Consumer<Stall> listener) {
    Thread thread = new Thread(() -> beat(who, listener), "tck-heart-beat");
    thread.setDaemon(true);
    thread.start();
  }

  private static void beat(String who, Consumer<Stall> listener) {
    long before = System.nanoTime();
    while (true) {
      LockSupport.parkNanos(TICK.toNanos());
      long now = System.nanoTime();
      if (now - before > Stalls.WORTH_NOTING.toNanos()) {
        listener.accept(new Stall(who + " stood still", now, now - before));
      }
      before = now;
    }
  }
}
