package dev.interlock.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioTest {

  @Test
  void theIdOfAScenarioReadsBackAsTheSameScenario() {
    assertThat(Scenario.ALL)
        .allSatisfy(scenario -> assertThat(Scenario.parse(scenario.id())).isEqualTo(scenario));
  }

  @Test
  void theDescriptionCountsInWords() {
    assertThat(Scenario.parse("16t1l2c").description()).isEqualTo("16 threads, 1 lock, 2 clients");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "16", "16t1l", "16T1L1C", "-1t1l1c", "16t1l1c ", "99999t1l1c"})
  void whatIsNotAScenarioIsRefusedWithTheUsualOnes(String text) {
    assertThatThrownBy(() -> Scenario.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' is not a scenario")
        .hasMessageContaining("16t16l1c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0t1l1c", "1t0l1c", "1t1l0c", "1t2l1c", "1t1l2c", "257t1l1c"})
  void aScenarioThatCannotRunIsRefused(String text) {
    assertThatThrownBy(() -> Scenario.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
