package dev.interlock.tck.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PushLimitTest {

  @Test
  void distanceCountsThreeTimesAndABusyMachineTen() {
    assertThat(PushRules.limit(50, 50)).isEqualTo(150);
    assertThat(PushRules.limit(50, 52)).isEqualTo(170);
    assertThat(PushRules.limit(1, 20)).isEqualTo(193);
  }
}
