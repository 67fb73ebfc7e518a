package dev.interlock.sql.support;

import java.util.Map;

/**
 * What was so with a lock lately, until it was not so several times: which of two ways to try
 * first. Bounded, and never more than a hint. Thread-safe.
 */
public final class Hint {
  private static final int TIMES = 4;

  private final Map<String, Integer> left = Recent.map();

  /** Knows nothing yet. */
  public Hint() {}

  /**
   * Tells whether it was so lately.
   *
   * @param name the lock
   * @return false if nothing is known
   */
  public boolean isLikely(String name) {
    return left.containsKey(name);
  }

  /**
   * Notes what was found.
   *
   * @param name the lock
   * @param so whether it was so
   */
  public void note(String name, boolean so) {
    if (so) {
      left.put(name, TIMES);
    } else {
      left.computeIfPresent(name, (same, times) -> times == 1 ? null : times - 1);
    }
  }
}
