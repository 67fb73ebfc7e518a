package dev.interlock.compare.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MeasurementTest {

  /** As others' are, which do not tell when somebody waits. */
  @Test
  void a_lock_that_tells_of_its_waiters_is_kept_all_the_same() throws Exception {
    Waiting waiting = new Waiting();
    Duration time = Duration.ofMillis(50);
    waiting.waiting("name");
    long start = System.nanoTime();
    waiting.keepWaiting(time);

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(time);
    assertThat(waiting.isTold()).isTrue();
  }

  @Test
  void every_measure_has_a_figure_or_a_reason_for_the_in_jvm_provider() throws Exception {
    Figures figures = new Figures();
    for (Measurement measurement : Measurement.ALL) {
      measurement.take(Backend.inThisJvm("local://?namespace=measured"), Effort.QUICK, figures);
    }

    for (Measure measure : Measure.values()) {
      assertThat(figures.find(measure)).as(measure.key()).isPresent();
    }
    assertThat(figures.text(Measure.HAND_OFF_P50)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.HAND_OFF_P99))
        .as("of a few hand-offs there is none")
        .isEqualTo("n/a");
    assertThat(figures.text(Measure.SECTIONS_16)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.SECTIONS_READ_WRITE)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.SECTIONS_SEMAPHORE)).matches("[1-9][0-9,]*");
    assertThat(figures.text(Measure.RECOVERY)).isEqualTo("n/a");
    assertThat(figures.anyFailed()).isFalse();
  }
}
