package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.interlock.tck.Effort;
import org.junit.jupiter.api.Test;

class MeasurementTest {

  @Test
  void every_measure_has_a_figure_or_a_reason_for_the_in_jvm_provider() throws Exception {
    Figures figures = new Figures();
    for (Measurement measurement : Measurement.ALL) {
      measurement.take(new InJvmBackend("local://?namespace=measured"), Effort.QUICK, figures);
    }

    for (Measure measure : Measure.values()) {
      assertThat(figures.find(measure)).as(measure.key()).isPresent();
    }
    assertThat(figures.text(Measure.HAND_OFF_P50)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.SECTIONS_16)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.RECOVERY)).isEqualTo("n/a");
    assertThat(figures.anyFailed()).isFalse();
  }

  @Test
  void jains_index_is_1_when_all_got_the_same_and_one_nth_when_one_got_all() {
    assertThat(CrowdRound.jain(new long[] {5, 5, 5, 5})).isEqualTo(1);
    assertThat(CrowdRound.jain(new long[] {0, 0, 0, 9})).isEqualTo(0.25, within(1e-9));
    assertThat(CrowdRound.jain(new long[] {0, 0})).isEqualTo(1);
  }
}
