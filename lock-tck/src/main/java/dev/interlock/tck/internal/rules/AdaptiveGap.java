package dev.interlock.tck.internal.rules;

import java.util.SplittableRandom;

/**
 * A gap between two actions that goes to where their outcome tips, and stays about there. While the
 * outcome is the same the gap moves on by twice as much each time; when it turns, by half (the
 * staircase PEST of Taylor and Creelman, 1967). Gaps from a fixed range meet a race only on a
 * machine that is as fast and as idle as the one they were chosen on. Belongs to one thread.
 */
final class AdaptiveGap {
  private static final long FIRST_STEP = 100_000;
  private static final long SMALLEST_STEP = 20_000;
  private static final long LARGEST_STEP = 3_000_000;

  private final SplittableRandom random;
  private long centre;
  private long step = FIRST_STEP;
  private boolean growing;

  AdaptiveGap(SplittableRandom random) {
    this.random = random;
  }

  /** Returns the next gap in nanoseconds; it is negative where the second action goes first. */
  long next() {
    return centre + random.nextLong(-step, step + 1);
  }

  /** Lets the next gap be greater, or else smaller. */
  void grow(boolean greater) {
    step =
        greater == growing ? Math.min(2 * step, LARGEST_STEP) : Math.max(step / 2, SMALLEST_STEP);
    growing = greater;
    centre += greater ? step : -step;
  }
}
