package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EffortTest {

  @Test
  void theDifferenceHoldsOnlyTheCommandsThatRan() {
    Effort before = new Effort(Map.of("set", 10L, "del", 3L), 100, OptionalLong.of(40));
    Effort after =
        new Effort(Map.of("set", 15L, "del", 3L, "evalsha", 2L), 130, OptionalLong.of(45));

    assertThat(after.since(before))
        .isEqualTo(new Effort(Map.of("set", 5L, "evalsha", 2L), 30, OptionalLong.of(5)));
  }

  @Test
  void theSumHoldsAllCommands() {
    Effort one = new Effort(Map.of("set", 5L), 30, OptionalLong.of(5));
    Effort other = new Effort(Map.of("set", 1L, "del", 1L), 3, OptionalLong.of(2));

    assertThat(Effort.NONE.plus(one).plus(other))
        .isEqualTo(new Effort(Map.of("set", 6L, "del", 1L), 33, OptionalLong.of(7)));
  }

  @Test
  void theServersTimeIsUnknownWhereItDoesNotTell() {
    Effort silent = new Effort(Map.of(), 30, OptionalLong.empty());

    assertThat(Effort.NONE.plus(silent).serverCpuMicros()).isEmpty();
    assertThat(silent.since(Effort.NONE).serverCpuMicros()).isEmpty();
  }
}
