package dev.interlock.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class RoundTest {
  private static final Duration LENGTH = Duration.ofMillis(200);

  @Test
  void aLockThatExcludesIsReportedAsOneThatDoes() throws Exception {
    Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    Round.Result result = run(
        "4t2l1c", name -> SectionLock.of(locks.computeIfAbsent(name, n -> new ReentrantLock())));

    assertThat(result.excluded()).isTrue();
    assertThat(locks).hasSize(2);
    assertThat(result.sections()).hasSize(4);
    assertThat(result.sectionsPerSecond()).isPositive();
    assertThat(result.acquire().getTotalCount()).isEqualTo(result.allSections());
  }

  @Test
  void aLockThatLetsEveryoneInIsFoundOut() throws Exception {
    Round.Result result = run("8t1l1c", name -> new LetsEveryoneIn());

    assertThat(result.excluded()).isFalse();
    assertThat(result.overlaps()).isPositive();
  }

  @Test
  void aSubjectThatThrowsFailsItsRoundWithTheCause() {
    assertThatThrownBy(() -> run("2t1l1c", name -> new Throws()))
        .isInstanceOf(MeasurementFailedException.class)
        .hasMessageContaining("connection lost");
  }

  private static Round.Result run(String scenario, Function<String, SectionLock> locks)
      throws InterruptedException {
    return Round.run(Scenario.parse(scenario), List.of(new Client(locks)), "test:", LENGTH);
  }

  private record Client(Function<String, SectionLock> locks) implements SectionClient {
    @Override
    public SectionLock lock(String name) {
      return locks.apply(name);
    }

    @Override
    public void close() {}
  }

  private static final class LetsEveryoneIn implements SectionLock {
    @Override
    public void lock() {
      Thread.onSpinWait();
    }

    @Override
    public void unlock() {}
  }

  private static final class Throws implements SectionLock {
    @Override
    public void lock() {
      throw new IllegalStateException("connection lost");
    }

    @Override
    public void unlock() {}
  }
}
