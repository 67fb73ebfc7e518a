package dev.interlock.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class StatisticsTest {

  @Test
  void jainIsOneWhenAllGotTheSame() {
    assertThat(Statistics.jain(new long[] {7, 7, 7, 7})).isEqualTo(1);
  }

  @Test
  void jainIsOneOverNWhenOneGotEverything() {
    assertThat(Statistics.jain(new long[] {0, 0, 900, 0})).isEqualTo(0.25);
  }

  @Test
  void jainOfUnequalSharesIsTheSquareOfTheSumOverNTimesTheSumOfSquares() {
    assertThat(Statistics.jain(new long[] {1, 2, 3})).isCloseTo(36.0 / 42.0, within(1e-12));
  }

  @Test
  void jainIsOneWhenNobodyGotAnything() {
    assertThat(Statistics.jain(new long[] {0, 0})).isEqualTo(1);
  }

  @Test
  void jainOfMillionsDoesNotOverflow() {
    assertThat(Statistics.jain(new long[] {4_000_000_000L, 4_000_000_000L})).isEqualTo(1);
  }

  @Test
  void theMedianOfAnOddNumberIsTheMiddleValue() {
    assertThat(Statistics.median(new double[] {9, 1, 5})).isEqualTo(5);
  }

  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
    assertThat(Statistics.median(new double[] {9, 1, 5, 6})).isEqualTo(5.5);
  }

  @Test
  void aRatioIsTakenRoundByRoundSoThatASlowRoundOfBothChangesNothing() {
    double[] subject = {200, 20, 220};
    double[] floor = {100, 10, 100};

    assertThat(Statistics.ratio(subject, floor)).isEqualTo(new Statistics.Ratio(2, 2, 2.2));
  }

  @Test
  void seriesOfDifferentLengthAreRefused() {
    assertThatThrownBy(() -> Statistics.ratio(new double[2], new double[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("2 values, but 3 bases");
  }

  @Test
  void nothingHasNoMedian() {
    assertThatThrownBy(() -> Statistics.median(new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void percentilesAreReadInMicrosecondsAndTheWorstInMilliseconds() {
    Histogram nanos = new Histogram(3);
    for (int i = 1; i <= 100; i++) {
      nanos.recordValue(i * 1_000_000L);
    }

    Latency latency = Latency.of(nanos);

    assertThat(latency.p50Micros()).isCloseTo(50_000, within(50.0));
    assertThat(latency.p99Micros()).isCloseTo(99_000, within(99.0));
    assertThat(latency.worstMillis()).isCloseTo(100, within(0.1));
  }
}
