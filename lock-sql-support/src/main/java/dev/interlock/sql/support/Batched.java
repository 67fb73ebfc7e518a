package dev.interlock.sql.support;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a caller wants done with a lock, as part of whichever transaction takes it along.
 * Made by the thread that wants it.
 *
 * @param <T> its answer
 */
public interface Batched<T> {

  /**
   * Returns what comes of it.
   *
   * @return always the same
   */
  Outcome<T> outcome();

  /**
   * Tells whether attempts that wait for a release to take them along go with this one.
   *
   * @param riders how many they are
   * @return whether they go with it; false by default
   */
  default boolean takesAlong(int riders) {
    return false;
  }

  /**
   * Tells how long its caller was prepared to wait.
   *
   * @return null, the default, if it is done however late
   */
  default @Nullable Duration patience() {
    return null;
  }
}
