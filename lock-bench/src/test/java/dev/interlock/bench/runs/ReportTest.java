package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.report.BenchReport;
import dev.interlock.bench.report.ReportFiles;
import dev.interlock.bench.report.Target;
import dev.interlock.bench.report.TerminalReport;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Round;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.Statistics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
  private static final Subject.Factory NEVER_OPENED = (server, threads) -> {
    throw new AssertionError();
  };

  @Test
  void ratiosAreThoseOfTheSameRoundAndTheBestPeerIsTheFastest() {
    ScenarioResult result = result(0);

    assertThat(result.bestPeer()).isEqualTo("spring-pubsub");
    ScenarioResult.SubjectResult ours = result.subject("redis-setnx").orElseThrow();
    assertThat(ours.toFloor()).isEqualTo(new Statistics.Ratio(0.9, 0.9, 0.9));
    assertThat(ours.toBestPeer()).isEqualTo(new Statistics.Ratio(1.5, 1.5, 1.5));
    assertThat(ours.commandsPerSection()).isEqualTo(4);
    assertThat(ours.clientCpuMicros()).isEqualTo(50);
    assertThat(ours.serverCpuMicros()).isEqualTo(20);
  }

  @Test
  void targetsAreJudgedWhereTheirFiguresAreThere() {
    List<Target> targets = Target.of(List.of(), List.of(), List.of(result(0)));

    assertThat(targets).extracting(Target::met).containsExactly(false, true);
    assertThat(targets).extracting(Target::measured).containsExactly(3.0, 1.5);
  }

  @Test
  void filesNameVersionsServerJdkAndCores(@TempDir Path directory) throws Exception {
    List<Path> files = ReportFiles.write(report(0), directory, "bench");

    JsonNode json = JsonMapper.shared().readTree(Files.readString(files.get(0)));
    assertThat(json.at("/environment/server").asString()).isEqualTo("Redis 7.0.15");
    assertThat(json.at("/environment/libraries/redisson").asString()).matches("\\d+\\..*");
    assertThat(json.at("/environment/cores").asInt()).isPositive();
    assertThat(json.at("/scenarios/0/subjects/3/toFloor/median").asDouble()).isEqualTo(0.9);
    assertThat(Files.readString(files.get(1)))
        .contains("Redis 7.0.15", "JDK ", "redisson ", "| ours | 0.90 |", "| --- | ---: |")
        .contains("| guard row | 1.50 |")
        .contains("| few | 1.00 | 999 | 0 | - | 0.0 |")
        .contains("| enough | 1.00 | 1,000 | 0 | 0 | 0.0 |")
        .contains("| rows | 0.97 | 0.94 | 0.99 | 970 | 1,000 | 3,000 |")
        .contains("| quorum | 1,000 | 10 | 900 | 0.90 |");
  }

  @Test
  void aViolationMakesTheRunUnsoundAndStandsInTheTable() {
    StringWriter text = new StringWriter();
    BenchReport report = report(1);

    TerminalReport.print(report, new PrintWriter(text));

    assertThat(report(0).sound()).isTrue();
    assertThat(report.sound()).isFalse();
    assertThat(text.toString()).contains("ours (EXCLUSION VIOLATED)");
  }

  @Test
  void aPeerThatHangsStandsInTheTableAndLeavesTheRunSound(@TempDir Path directory)
      throws Exception {
    CountedResult hung = counted(List.of(), "3 of 32 threads still waited 30 s");
    CountedResult later = counted(List.of(500.0), "1 of 32 threads still waited 30 s");
    BenchReport report = report(0, List.of(hung, later));

    assertThat(report.sound()).isTrue();
    assertThat(Files.readString(ReportFiles.write(report, directory, "bench").get(1)))
        .contains("| Theirs (HANGS) | - | - | - | - | - | - |")
        .contains("| Theirs (HANGS) | 500 | - | - | 0 | 0 | 0.0 |")
        .containsPattern("- Theirs hangs in semaphore, after 0 of \\d rounds: 3 of 32 threads")
        .containsPattern("- Theirs hangs in semaphore, after 1 of \\d rounds: 1 of 32 threads");
  }

  private static CountedResult counted(List<Double> rounds, String hangs) {
    return new CountedResult(
        "semaphore",
        "permits",
        "theirs",
        "Theirs",
        Subject.Kind.PEER,
        "library 1",
        rounds.isEmpty() ? 0 : rounds.get(0),
        rounds,
        List.of(new CountedResult.Way("permit", Latency.of(new Histogram(3)))),
        null,
        null,
        0,
        hangs);
  }

  private static BenchReport report(long overlaps) {
    return report(overlaps, List.of());
  }

  private static BenchReport report(long overlaps, List<CountedResult> counted) {
    return new BenchReport(
        BenchReport.Environment.of("2026-11-21T00:00:00Z", 7.5, "Redis 7.0.15", "given"),
        BenchPlan.quick(1, 4),
        List.of(),
        List.of(handOffs("few", 999), handOffs("enough", 1_000)),
        List.of(new FencedWritesResult(
            "guard row", 100, Latency.of(new Histogram(3)), new Statistics.Ratio(1.5, 1.5, 1.5))),
        List.of(new BystanderResult(
            "postgres", "rows", 3_000, 970, 1_000, new Statistics.Ratio(0.97, 0.94, 0.99))),
        List.of(new SilentMemberResult("quorum-setnx", "quorum", 1_000, 10, 900)),
        counted,
        List.of(result(overlaps)),
        List.of(),
        List.of());
  }

  private static HandOffResult handOffs(String label, long count) {
    return new HandOffResult(
        label,
        label,
        Subject.Kind.OURS,
        "library 1",
        count,
        Latency.of(new Histogram(3)),
        new Statistics.Ratio(1, 1, 1));
  }

  private static ScenarioResult result(long overlaps) {
    return ScenarioResult.of(
        Scenario.parse("16t16l1c"),
        List.of(
            series("floor", "raw floor", Subject.Kind.FLOOR, 1000, 0),
            series("redisson", "Redisson", Subject.Kind.PEER, 300, 0),
            series("spring-pubsub", "Spring", Subject.Kind.PEER, 600, 0),
            series("redis-setnx", "ours", Subject.Kind.OURS, 900, overlaps)));
  }

  private static Series series(
      String id, String label, Subject.Kind kind, long sections, long overlaps) {
    Series series = new Series(new Subject(id, label, kind, "library 1", NEVER_OPENED));
    for (int round = 1; round <= 3; round++) {
      // Each round is faster than the one before, for all alike.
      long count = sections * round;
      series.add(
          new Round.Result(
              new long[] {count}, Duration.ofSeconds(1), count, new Histogram(3), overlaps, 0),
          new Effort(
              Map.of("set", count, "evalsha", 3 * count), 50 * count, OptionalLong.of(20 * count)));
    }
    return series;
  }
}
