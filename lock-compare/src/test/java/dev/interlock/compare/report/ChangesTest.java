package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measure;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChangesTest {

  @Test
  void figures_that_moved_by_a_tenth_are_changes_and_smaller_moves_are_noise() {
    Baseline before = new Baseline(
        "then",
        List.of(new Baseline.Provider(
            "local", Map.of(), Map.of("handOffP50Micros", 100.0, "handOffP99Micros", 100.0))));
    Figures figures = new Figures();
    figures.put(Measure.HAND_OFF_P50, 109);
    figures.put(Measure.HAND_OFF_P99, 150);
    ProviderReport now =
        new ProviderReport("local", "1", "s", "o", Set.of(), List.of(), figures, "");

    assertThat(Changes.between(before, List.of(now)).all())
        .containsExactly(new Changes.Change("local", "Hand-off p99 (µs)", "100", "150 (+50 %)"));
  }
}
