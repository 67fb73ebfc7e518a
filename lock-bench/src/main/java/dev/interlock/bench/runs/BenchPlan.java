package dev.interlock.bench.runs;

import java.time.Duration;

/**
 * How long a run measures what.
 *
 * @param mode quick or full
 * @param rounds how many rounds each subject gets in each scenario
 * @param round how long one takes
 * @param warmUp what each subject runs before its first round of a scenario, unmeasured
 * @param compiling what the uncontended part takes at most before it measures, all subjects
 *     together
 * @param uncontended how long the uncontended part measures, all subjects together
 * @param handOff how long hand-offs are measured, all subjects together
 */
public record BenchPlan(
    String mode,
    int rounds,
    Duration round,
    Duration warmUp,
    Duration compiling,
    Duration uncontended,
    Duration handOff) {
  /** Of each subject, in each of which the holder keeps the lock for 60 ms on average. */
  private static final Duration QUICK_HAND_OFFS = Duration.ofMillis(1_200);

  private static final Duration FULL_HAND_OFFS = Duration.ofSeconds(12);

  private static final Duration SHORTEST_ROUND = Duration.ofMillis(200);

  /** What a round costs beside its length: threads that still wait, and the server's statistics. */
  private static final Duration OVERHEAD = Duration.ofMillis(120);

  /** Fits a run of at most 100 s. */
  public static BenchPlan quick(int scenarios, int subjects) {
    return fit(
        "quick",
        3,
        Duration.ofSeconds(1),
        Duration.ofMillis(300),
        Duration.ofMillis(800).multipliedBy(subjects),
        Duration.ofMillis(400).multipliedBy(subjects),
        QUICK_HAND_OFFS.multipliedBy(subjects),
        Duration.ofSeconds(62).plus(QUICK_HAND_OFFS.multipliedBy(subjects)),
        scenarios * subjects);
  }

  /** Fits a run of at most 12 minutes. */
  public static BenchPlan full(int scenarios, int subjects) {
    return fit(
        "full",
        7,
        Duration.ofSeconds(2),
        Duration.ofSeconds(1),
        Duration.ofSeconds(12).multipliedBy(subjects),
        Duration.ofSeconds(4).multipliedBy(subjects),
        FULL_HAND_OFFS.multipliedBy(subjects),
        Duration.ofSeconds(520).plus(FULL_HAND_OFFS.multipliedBy(subjects)),
        scenarios * subjects);
  }

  private static BenchPlan fit(
      String mode,
      int rounds,
      Duration longest,
      Duration warmUp,
      Duration compiling,
      Duration uncontended,
      Duration handOff,
      Duration budget,
      int series) {
    if (series == 0) {
      return new BenchPlan(mode, rounds, SHORTEST_ROUND, warmUp, compiling, uncontended, handOff);
    }
    Duration contended = budget.minus(compiling).minus(uncontended).minus(handOff);
    Duration each = contended.dividedBy(series).minus(warmUp).minus(OVERHEAD);
    Duration round = each.dividedBy(rounds).minus(OVERHEAD);
    if (round.compareTo(longest) > 0) {
      round = longest;
    }
    if (round.compareTo(SHORTEST_ROUND) < 0) {
      round = SHORTEST_ROUND;
    }
    return new BenchPlan(mode, rounds, round, warmUp, compiling, uncontended, handOff);
  }
}
