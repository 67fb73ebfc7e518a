package dev.interlock.testservers;

import java.util.function.BooleanSupplier;

/** Looks whether a server is ready. */
final class Readiness {
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
}
