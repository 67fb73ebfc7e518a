package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.contract.Undisturbed.Judge;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class UndisturbedTest {
  private static int failing;
  private static int sound;

  @AfterAll
  static void countRuns() {
    assertThat(failing).isEqualTo(3);
    assertThat(sound).isEqualTo(1);
  }

  @Undisturbed(millis = 0)
  void runsAgainWhatFailedWhileThreadsWereLate() {
    failing++;
    assertThat(failing).isEqualTo(3);
  }

  @Undisturbed(millis = 0)
  void runsOnceWhatSucceeds() {
    sound++;
  }

  @Test
  void aFailureCountsIfNoThreadWasLate() {
    Judge judge = new Judge(Duration.ofMinutes(10));
    AssertionError failure = new AssertionError("as planned");
    judge.beforeEach(null);
    assertThatThrownBy(() -> judge.judge(failure)).isSameAs(failure);
    assertThat(judge.wantsRun()).isFalse();
  }

  @Test
  void theThirdFailureCounts() throws Throwable {
    Judge judge = new Judge(Duration.ZERO);
    AssertionError failure = new AssertionError("as planned");
    for (int run = 1; run < 3; run++) {
      judge.beforeEach(null);
      judge.judge(failure);
      assertThat(judge.wantsRun()).isTrue();
    }
    judge.beforeEach(null);
    assertThatThrownBy(() -> judge.judge(failure)).isSameAs(failure);
    assertThat(judge.wantsRun()).isFalse();
  }
}
