package dev.interlock.redis.hash;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;

/**
 * Attempts beside whose holds others may hold the lock: those of readers and for permits. They do
 * not ride along with a release, since there may be room for them before it.
 */
final class Counted {
  private static final String NOBODY = "-";

  private Counted() {}

  static boolean is(Attempt attempt) {
    return attempt.capacity() > 1 || attempt.beside() != null;
  }

  /** What attempts.lua reads in the place of fair, which they always are. */
  static String argument(Attempt attempt) {
    HoldId beside = attempt.beside();
    return attempt.units() + " " + attempt.capacity() + " "
        + (beside == null ? NOBODY : beside.toString());
  }
}
