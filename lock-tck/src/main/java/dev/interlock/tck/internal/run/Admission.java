package dev.interlock.tck.internal.run;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Lets rules begin side by side as long as the machine has room for one more, so that those that
 * run are not starved of the processor, and lease after lease with them. One may always run, on
 * however busy a machine. Thread-safe.
 */
final class Admission {
  /** How long the work of one that began takes to show in the load of the machine. */
  private static final Duration SHOWN = Duration.ofMillis(300);

  private static final Duration TICK = Duration.ofMillis(50);

  private final BooleanSupplier hasRoom;
  private final ReentrantLock beginning = new ReentrantLock(true);
  private int running;

  Admission(BooleanSupplier hasRoom) {
    this.hasRoom = hasRoom;
  }

  /** Blocks until one more may run. Each {@code begin} needs an {@link #end()}. */
  void begin() throws InterruptedException {
    beginning.lockInterruptibly();
    try {
      if (!isAlone()) {
        RuleRun.pause(SHOWN);
      }
      while (!isAlone() && !hasRoom.getAsBoolean()) {
        RuleRun.pause(TICK);
      }
      change(1);
    } finally {
      beginning.unlock();
    }
  }

  void end() {
    change(-1);
  }

  private synchronized boolean isAlone() {
    return running == 0;
  }

  private synchronized void change(int by) {
    running += by;
  }
}
