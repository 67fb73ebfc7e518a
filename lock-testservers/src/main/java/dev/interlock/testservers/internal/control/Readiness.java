package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Looks whether a server is ready. */
public final class Readiness {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);

  private Readiness() {}

  /**
   * Takes one look. An interrupted thread gets none: the pause after a look would notice the
   * interrupt, but a server that is ready at the first look needs no pause.
   *
   * @throws InterruptedException if the thread is interrupted; clears its flag
   */
  static boolean look(BooleanSupplier ready) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return ready.getAsBoolean();
  }

  /**
   * Waits until a condition holds; a command that fails meanwhile counts as a no.
   *
   * @throws TestServerException if it does not hold within 60 s; the message has what is said of
   *     the state
   */
  public static void await(String what, BooleanSupplier condition, Supplier<String> state) {
    long start = System.nanoTime();
    while (!holds(condition)) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new TestServerException("Not within " + LIMIT.toSeconds() + " s: " + what
            + ". State:\n" + state.get().indent(2));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL.toMillis()));
    }
  }

  private static boolean holds(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (TestServerException notYet) {
      return false;
    }
  }
}
