package dev.interlock.tck;

/** How much work a run spends on each rule. */
public enum Effort {
  /** About a minute for a provider. */
  QUICK,
  /** A few minutes for a provider. */
  STANDARD,
  /** As long as it takes to reach rare interleavings: some six minutes for a provider. */
  FULL;

  /**
   * Chooses by effort.
   *
   * @param quick the amount for {@link #QUICK}
   * @param standard the amount for {@link #STANDARD}
   * @param full the amount for {@link #FULL}
   * @return one of the three
   */
  public int of(int quick, int standard, int full) {
    return switch (this) {
      case QUICK -> quick;
      case STANDARD -> standard;
      case FULL -> full;
    };
  }
}
