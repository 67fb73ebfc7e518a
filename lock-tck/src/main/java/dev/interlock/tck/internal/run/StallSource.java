package dev.interlock.tck.internal.run;

import dev.interlock.tck.internal.worker.Stall;
import java.time.Duration;
import java.util.Optional;

/** Tells what stood still while a test ran. */
@FunctionalInterface
interface StallSource {

  /**
   * Returns the longest stall that ended after a moment, of what a run of a rule uses; empty if
   * there was none. What stood still in another rule's own JVM explains nothing here.
   *
   * @param nanoTime a reading of {@link System#nanoTime()}
   * @param run the key of the run
   * @param serverToo false if the test made the server stand still itself
   */
  Optional<Stall> longestSince(long nanoTime, String run, boolean serverToo);

  /** Begins to look at the server, whose answers usually take so long. */
  default void begin(Duration roundTrip) {}

  /** Leaves the server alone from now on. */
  default void suspend() {}

  /** Looks at the server again; once for each {@link #suspend()}. */
  default void resume() {}
}
