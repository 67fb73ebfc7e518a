package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.subjects.CountedSubject;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is measured against must itself hold what it promises. */
@Timeout(120)
class CountedFloorTest {
  private static final BenchPlan PLAN = new BenchPlan(
      "test",
      2,
      Duration.ofMillis(200),
      Duration.ofMillis(50),
      Duration.ZERO,
      Duration.ZERO,
      Duration.ZERO);

  @Test
  void itHasRoomForNoMoreThanThereIs() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      CountedRun run = new CountedRun(
          ServerAddress.parse(ServerKind.REDIS, server.uri("redis")),
          PLAN,
          "test:",
          new Progress(new PrintWriter(new StringWriter())));
      for (CountedScenario scenario :
          List.of(CountedScenario.READ_WRITE, CountedScenario.SEMAPHORE)) {
        List<CountedSubject> floor = CountedSubject.in(scenario, ServerKind.REDIS).stream()
            .filter(subject -> subject.kind() == Subject.Kind.FLOOR)
            .toList();

        assertThat(run.measure(scenario, floor)).singleElement().satisfies(result -> {
          assertThat(result.sectionsPerSecond()).isPositive();
          assertThat(result.excesses()).isZero();
        });
      }
      assertThat(run.failures()).isEmpty();
    }
  }
}
