package dev.interlock.bench;

import dev.interlock.bench.report.BenchReport;
import dev.interlock.bench.report.Tables;
import dev.interlock.bench.report.Target;
import dev.interlock.bench.runs.BenchPlan;
import dev.interlock.bench.runs.BystanderResult;
import dev.interlock.bench.runs.BystanderRun;
import dev.interlock.bench.runs.ContentionRun;
import dev.interlock.bench.runs.CountedResult;
import dev.interlock.bench.runs.CountedRun;
import dev.interlock.bench.runs.FencedWritesResult;
import dev.interlock.bench.runs.FencedWritesRun;
import dev.interlock.bench.runs.HandOffResult;
import dev.interlock.bench.runs.HandOffRun;
import dev.interlock.bench.runs.OpenSubjects;
import dev.interlock.bench.runs.Progress;
import dev.interlock.bench.runs.ScenarioResult;
import dev.interlock.bench.runs.SilentMemberResult;
import dev.interlock.bench.runs.SilentMemberRun;
import dev.interlock.bench.runs.UncontendedResult;
import dev.interlock.bench.runs.UncontendedRun;
import dev.interlock.bench.subjects.CountedSubject;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.measure.server.ServerUnavailableException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of the bench over subjects and scenarios. */
final class BenchRun {
  private final ServerKind kind;
  private final List<Subject> subjects;
  private final List<Scenario> scenarios;
  private final Set<ExtraMeasurement> extras;
  private final BenchPlan plan;
  private final Progress progress;

  BenchRun(
      ServerKind kind,
      List<Subject> subjects,
      List<Scenario> scenarios,
      Set<ExtraMeasurement> extras,
      boolean quick,
      Progress progress) {
    this.kind = kind;
    this.subjects = subjects;
    this.scenarios = scenarios;
    this.extras = extras;
    long counted = extras.stream().filter(extra -> extra.counted() != null).count();
    // Two rounds in turn, but of our own subjects only.
    int beside = extras.contains(ExtraMeasurement.BYSTANDER) ? 1 : 0;
    int all = scenarios.size() + (int) counted + beside;
    this.plan =
        quick ? BenchPlan.quick(all, subjects.size()) : BenchPlan.full(all, subjects.size());
    this.progress = progress;
  }

  /**
   * Measures on a server. Deletes nothing there but its own locks.
   *
   * @param source where the server comes from, for the report
   * @param first the same server, if there are others and it may be made silent
   * @param elsewhere another server, for {@link ExtraMeasurement#BYSTANDER}
   * @throws ServerUnavailableException if the server does not answer
   */
  BenchReport on(
      ServerAddress server,
      String source,
      SilentMemberRun.@Nullable Member first,
      @Nullable ServerAddress elsewhere)
      throws InterruptedException {
    List<Scenario> all = new ArrayList<>(scenarios);
    if (extras.contains(ExtraMeasurement.SILENT_MEMBER)) {
      all.add(SilentMemberRun.SCENARIO);
    }
    if (extras.contains(ExtraMeasurement.BYSTANDER)) {
      all.add(BystanderRun.SCENARIO);
    }
    int clients = all.stream().mapToInt(Scenario::clients).max().orElse(1);
    if (extras.contains(ExtraMeasurement.HAND_OFF)) {
      clients = Math.max(2, clients);
    }
    int threads = all.stream().mapToInt(Scenario::threads).max().orElse(1);
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    try (ServerProbe measured = kind.probe(server)) {
      String version = measured.version();
      progress.note(version + " (" + source + "), " + subjects.size() + " subjects");
      BenchReport.Environment environment =
          BenchReport.Environment.of(started, load, version, source);
      if (environment.busy()) {
        progress.note(Tables.busyNote(environment));
      }
      try (OpenSubjects open = new OpenSubjects(subjects, server, clients, threads, progress)) {
        return measure(server, open, measured, environment, first, elsewhere);
      } finally {
        if (kind != ServerKind.REDIS) {
          PeerTables.drop(server);
        }
      }
    }
  }

  private BenchReport measure(
      ServerAddress server,
      OpenSubjects open,
      ServerProbe measured,
      BenchReport.Environment environment,
      SilentMemberRun.@Nullable Member first,
      @Nullable ServerAddress elsewhere)
      throws InterruptedException {
    String names = "bench:" + UUID.randomUUID().toString().substring(0, 8) + ":";
    List<UncontendedResult> alone = List.of();
    if (extras.contains(ExtraMeasurement.UNCONTENDED)) {
      // First, since the compiler then has seen every subject before the scenarios begin.
      alone = new UncontendedRun(open, plan, names, progress).measure();
    }
    ContentionRun contention = new ContentionRun(open, measured, plan, names, progress);
    List<ScenarioResult> results = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      results.add(contention.measure(scenario));
    }
    List<HandOffResult> handOffs = extras.contains(ExtraMeasurement.HAND_OFF)
        ? new HandOffRun(open, plan, names, progress).measure()
        : List.of();
    List<FencedWritesResult> fencedWrites = extras.contains(ExtraMeasurement.FENCED_WRITES)
        ? new FencedWritesRun(server, plan, progress).measure()
        : List.of();
    List<BystanderResult> bystander = List.of();
    List<OpenSubjects.Failure> failedBeside = List.of();
    if (elsewhere != null) {
      BystanderRun run = new BystanderRun(open, server, elsewhere, plan, names, progress);
      bystander = run.measure();
      failedBeside = run.failures();
    }
    CountedRun counted = new CountedRun(server, plan, names, progress);
    List<CountedResult> parts = new ArrayList<>();
    for (ExtraMeasurement extra : ExtraMeasurement.values()) {
      CountedScenario scenario = extra.counted();
      if (scenario != null && extras.contains(extra)) {
        parts.addAll(counted.measure(scenario, CountedSubject.in(scenario, kind)));
      }
    }
    // Last, since it disturbs what is measured on that server alone.
    List<SilentMemberResult> silentMember =
        first != null && extras.contains(ExtraMeasurement.SILENT_MEMBER)
            ? new SilentMemberRun(open, plan, names, progress, first).measure()
            : List.of();
    return new BenchReport(
        environment,
        plan,
        alone,
        handOffs,
        fencedWrites,
        bystander,
        silentMember,
        parts,
        results,
        Target.of(alone, parts, results),
        Stream.of(open.failures(), failedBeside, counted.failures())
            .flatMap(List::stream)
            .toList());
  }
}
