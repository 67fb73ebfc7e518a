package dev.interlock.bench;

import java.time.Duration;

/**
 * How long a run measures what.
 *
 * @param mode quick or full
 * @param rounds how many rounds each subject gets in each scenario
 * @param round how long one takes
 * @param warmUp what each subject runs before its first round of a scenario, unmeasured
 * @param uncontended how long the uncontended part takes for all subjects together
 */
record BenchPlan(String mode, int rounds, Duration round, Duration warmUp, Duration uncontended) {
  private static final Duration SHORTEST_ROUND = Duration.ofMillis(200);

  /** What a round costs beside its length: threads that still wait, and the server's statistics. */
  private static final Duration OVERHEAD = Duration.ofMillis(120);

  /** Fits a run of at most 90 s. */
  static BenchPlan quick(int scenarios, int subjects) {
    return fit(
        "quick", 3, 1, Duration.ofMillis(300), 6, Duration.ofSeconds(64), scenarios * subjects);
  }

  /** Fits a run of at most 10 minutes. */
  static BenchPlan full(int scenarios, int subjects) {
    return fit(
        "full", 7, 2, Duration.ofSeconds(1), 20, Duration.ofSeconds(550), scenarios * subjects);
  }

  private static BenchPlan fit(
      String mode,
      int rounds,
      int longestRoundSeconds,
      Duration warmUp,
      int uncontendedSeconds,
      Duration budget,
      int series) {
    Duration uncontended = Duration.ofSeconds(uncontendedSeconds);
    if (series == 0) {
      return new BenchPlan(mode, rounds, SHORTEST_ROUND, warmUp, uncontended);
    }
    Duration each = budget.minus(uncontended).dividedBy(series).minus(warmUp).minus(OVERHEAD);
    Duration round = each.dividedBy(rounds).minus(OVERHEAD);
    Duration longest = Duration.ofSeconds(longestRoundSeconds);
    if (round.compareTo(longest) > 0) {
      round = longest;
    }
    if (round.compareTo(SHORTEST_ROUND) < 0) {
      round = SHORTEST_ROUND;
    }
    return new BenchPlan(mode, rounds, round, warmUp, uncontended);
  }
}
