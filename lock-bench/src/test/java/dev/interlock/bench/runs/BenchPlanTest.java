package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchPlanTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 6, 10, 12})
  void quickFitsAHundredSecondsAndFullTwelveMinutes(int subjects) {
    assertThat(total(BenchPlan.quick(5, subjects), 5 * subjects))
        .isLessThan(Duration.ofSeconds(100));
    assertThat(total(BenchPlan.full(5, subjects), 5 * subjects)).isLessThan(Duration.ofMinutes(12));
  }

  @Test
  void roundsGrowNoLongerThanTheyNeedToBe() {
    assertThat(BenchPlan.quick(1, 2).round()).isEqualTo(Duration.ofSeconds(1));
    assertThat(BenchPlan.full(1, 2).round()).isEqualTo(Duration.ofSeconds(2));
  }

  private static Duration total(BenchPlan plan, int series) {
    return plan.round()
        .multipliedBy(plan.rounds())
        .plus(plan.warmUp())
        .multipliedBy(series)
        .plus(plan.compiling())
        .plus(plan.uncontended())
        .plus(plan.handOff());
  }
}
