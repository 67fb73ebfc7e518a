package dev.interlock.sql.support;

import java.util.concurrent.TimeUnit;

/**
 * How quickly the releases of one lock by this client follow one another, and so for how long it
 * pays to wait for the next one. Thread-safe: one release follows another.
 */
public final class ReleasePace {
  private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int GAPS = 3;

  private volatile long releasedAt = System.nanoTime();
  private volatile long gap = SHORTEST;

  /** Begins without a release. */
  public ReleasePace() {}

  /** Notes a release. */
  public void released() {
    long now = System.nanoTime();
    gap = (3 * gap + now - releasedAt) / 4;
    releasedAt = now;
  }

  /**
   * Tells for how long a release may be awaited.
   *
   * @return zero if they come too rarely to be worth it
   */
  public long patienceNanos() {
    return gap > LONGEST ? 0 : Math.min(LONGEST, Math.max(SHORTEST, GAPS * gap));
  }
}
