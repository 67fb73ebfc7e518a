package dev.interlock.redis.hash.internal.backend;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;

/** Attempts beside whose holds others may hold the lock: those of readers and for permits. */
final class Counted {
  private static final String NOBODY = "-";

  private Counted() {}

  /** What attempts.lua reads in the place of fair, which these always are. */
  static String argument(Attempt attempt) {
    HoldId beside = attempt.beside();
    if (attempt.capacity() == 1 && beside == null) {
      return attempt.fair() ? "1" : "0";
    }
    return attempt.units() + " " + attempt.capacity() + " "
        + (beside == null ? NOBODY : beside.toString());
  }
}
