package dev.interlock.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HoldTimesTest {

  @Test
  void anyTwentyInARowLieInEachTenthOfAPollAndTheSeriesIsAlwaysTheSame() {
    List<Duration> times = Stream.generate(new HoldTimes()::next).limit(200).toList();

    assertThat(times)
        .isEqualTo(Stream.generate(new HoldTimes()::next).limit(200).toList())
        .allSatisfy(
            time -> assertThat(time).isBetween(Duration.ofMillis(10), Duration.ofMillis(110)));
    for (int from = 0; from + 20 <= times.size(); from++) {
      assertThat(times.subList(from, from + 20).stream().map(time -> time.toMillis() / 10))
          .as("from %d", from)
          .contains(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }
  }
}
