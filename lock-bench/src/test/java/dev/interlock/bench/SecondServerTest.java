package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.bench.runs.Progress;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.PostgresSource;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestServerException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SecondServerTest {
  private static final Set<ExtraMeasurement> ALL = ExtraMeasurement.on(ServerKind.POSTGRES, false);
  private static final boolean NAMED = true;
  private static final boolean GIVEN = true;

  private final StringWriter progress = new StringWriter();
  private int started;

  @Test
  void withoutASecondServerTheOthersAreMeasured() {
    SecondServer second = open(ALL, !NAMED, !GIVEN, Subject.Kind.OURS);

    assertThat(started).isEqualTo(1);
    assertLeftOut(second, "there is no second server: ");
  }

  @Test
  void whoNamesTheBystanderHearsThatThereIsNoServer() {
    assertThatThrownBy(
            () -> open(Set.of(ExtraMeasurement.BYSTANDER), NAMED, !GIVEN, Subject.Kind.OURS))
        .isInstanceOf(TestServerException.class);
  }

  @Test
  void aGivenServerIsComparedWithOneOfThisMachineByNameOnly() {
    assertLeftOut(open(ALL, !NAMED, GIVEN, Subject.Kind.OURS), "--scenarios bystander");
    assertThat(started).isZero();

    assertThatThrownBy(
            () -> open(Set.of(ExtraMeasurement.BYSTANDER), NAMED, GIVEN, Subject.Kind.OURS))
        .isInstanceOf(TestServerException.class);
    assertThat(started).isEqualTo(1);
  }

  @Test
  void withoutALockOfOursNoneIsStarted() {
    assertLeftOut(open(ALL, NAMED, !GIVEN, Subject.Kind.PEER), "Interlock's own locks");
    assertThat(started).isZero();
  }

  @Test
  void whereThereIsNoBystanderNobodyHearsOfIt() {
    Set<ExtraMeasurement> others = ExtraMeasurement.on(ServerKind.MYSQL, false);
    try (SecondServer second = open(others, !NAMED, !GIVEN, Subject.Kind.OURS)) {
      assertThat(second.extras()).isEqualTo(others);
    }
    assertThat(started).isZero();
    assertThat(progress.toString()).isEmpty();
  }

  private SecondServer open(
      Set<ExtraMeasurement> extras, boolean named, boolean given, Subject.Kind kind) {
    Subject subject = new Subject("id", "label", kind, "library 1", (address, threads) -> {
      throw new AssertionError("nothing is measured here");
    });
    return SecondServer.forBystander(
        extras,
        named,
        given,
        List.of(subject),
        this::startNone,
        new Progress(new PrintWriter(progress)));
  }

  /** What happens where no server can be had. */
  private PostgresServer startNone() {
    started++;
    return TestPostgres.builder().owned().from(PostgresSource.GIVEN).start();
  }

  private void assertLeftOut(SecondServer second, String reason) {
    try (second) {
      assertThat(second.extras()).isNotEmpty().doesNotContain(ExtraMeasurement.BYSTANDER);
      assertThat(second.address()).isNull();
      assertThat(progress.toString()).contains("bystander is left out: ", reason);
    }
  }
}
