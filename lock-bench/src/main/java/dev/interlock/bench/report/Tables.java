package dev.interlock.bench.report;

import dev.interlock.bench.runs.BenchPlan;
import dev.interlock.bench.runs.BystanderResult;
import dev.interlock.bench.runs.BystanderRun;
import dev.interlock.bench.runs.CountedResult;
import dev.interlock.bench.runs.FencedWritesResult;
import dev.interlock.bench.runs.HandOffResult;
import dev.interlock.bench.runs.ScenarioResult;
import dev.interlock.bench.runs.ScenarioResult.SubjectResult;
import dev.interlock.bench.runs.SilentMemberResult;
import dev.interlock.bench.runs.SilentMemberRun;
import dev.interlock.bench.runs.UncontendedResult;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The report's tables, for the terminal and for Markdown alike. */
public final class Tables {
  private static final String NONE = "-";

  private Tables() {}

  /**
   * A table; the first column is text, the others are figures.
   *
   * @param title what it shows
   * @param header the columns
   * @param rows as long as the header each
   */
  record Table(String title, List<String> header, List<List<String>> rows) {}

  /** Every subject's throughput as a ratio to the floor's. */
  static Table ratios(BenchReport report) {
    List<String> header = new ArrayList<>(List.of("x raw floor"));
    if (!report.uncontended().isEmpty()) {
      header.add("uncontended p50 *");
    }
    report.scenarios().forEach(scenario -> header.add(scenario.id()));
    List<List<String>> rows = new ArrayList<>();
    labels(report).forEach((id, label) -> rows.add(ratioRow(report, id, label)));
    return new Table(
        "Sections a second as a ratio to the raw floor (* time of a cycle: less is better)",
        header,
        rows);
  }

  private static List<String> ratioRow(BenchReport report, String id, String label) {
    List<String> row = new ArrayList<>(List.of(label));
    if (!report.uncontended().isEmpty()) {
      row.add(report.uncontended().stream()
          .filter(result -> result.id().equals(id))
          .map(result -> ratio(result.toFloor()))
          .findFirst()
          .orElse(NONE));
    }
    for (ScenarioResult scenario : report.scenarios()) {
      row.add(scenario.subject(id).map(result -> ratio(result.toFloor())).orElse(NONE));
    }
    return row;
  }

  private static Map<String, String> labels(BenchReport report) {
    Map<String, String> labels = new LinkedHashMap<>();
    report.uncontended().forEach(result -> labels.put(result.id(), result.label()));
    report
        .scenarios()
        .forEach(scenario -> scenario.subjects().forEach(one -> labels.put(one.id(), one.label())));
    return labels;
  }

  /** The figures of a scenario. */
  static Table scenario(ScenarioResult scenario) {
    String best = Optional.ofNullable(scenario.bestPeer())
        .flatMap(scenario::subject)
        .map(peer -> "; best peer: " + peer.label())
        .orElse("");
    return new Table(
        scenario.id() + ": " + scenario.description() + best,
        List.of(
            "subject",
            "sections/s",
            "x floor",
            "x best peer",
            "acquire p50 us",
            "p99 us",
            "worst ms",
            "Jain",
            "commands",
            "client CPU us",
            "server CPU us"),
        scenario.subjects().stream().map(Tables::row).toList());
  }

  private static List<String> row(SubjectResult result) {
    return List.of(
        result.label() + (result.excluded() ? "" : " (EXCLUSION VIOLATED)"),
        number("%,.0f", result.sectionsPerSecond()),
        ratio(result.toFloor()),
        ratio(result.toBestPeer()),
        number("%,.0f", result.acquire().p50Micros()),
        number("%,.0f", result.acquire().p99Micros()),
        number("%,.1f", result.acquire().worstMillis()),
        number("%.3f", result.jain()),
        number("%.1f", result.commandsPerSection()),
        number("%.0f", result.clientCpuMicros()),
        result.serverCpuMicros() == null ? NONE : number("%.0f", result.serverCpuMicros()));
  }

  /** One thread, nobody else. */
  static Table uncontended(List<UncontendedResult> results) {
    return new Table(
        "Uncontended: one thread acquires and releases",
        List.of("subject", "x floor, p50", "acquire p50 us", "cycle p50 us", "cycle p99 us"),
        results.stream()
            .map(result -> List.of(
                result.label(),
                ratio(result.toFloor()),
                number("%,.0f", result.acquire().p50Micros()),
                number("%,.0f", result.cycle().p50Micros()),
                number("%,.0f", result.cycle().p99Micros())))
            .toList());
  }

  /** From one client to another that waits. */
  static Table handOffs(List<HandOffResult> results) {
    return new Table(
        "Hand-off: from the release, 10 to 110 ms after another client has asked, until that has it",
        List.of("subject", "x best peer, p50", "hand-offs", "p50 us", "p99 us", "worst ms"),
        results.stream()
            .map(result -> List.of(
                result.label(),
                ratio(result.toBestPeer()),
                "%,d".formatted(result.handOffs()),
                number("%,.0f", result.latency().p50Micros()),
                Latency.tellsP99(result.handOffs())
                    ? number("%,.0f", result.latency().p99Micros())
                    : NONE,
                number("%,.1f", result.latency().worstMillis())))
            .toList());
  }

  /** What fencing adds to a write. */
  static Table fencedWrites(List<FencedWritesResult> results) {
    return new Table(
        "Fenced writes: a transaction with one UPDATE, one thread",
        List.of("fenced by", "x plain, p50", "p50 us", "p99 us"),
        results.stream()
            .map(result -> List.of(
                result.way(),
                ratio(result.toPlain()),
                number("%,.0f", result.latency().p50Micros()),
                number("%,.0f", result.latency().p99Micros())))
            .toList());
  }

  /** What others notice. */
  static Table bystander(List<BystanderResult> results) {
    return new Table(
        "Bystander: one-row updates a second of somebody else while "
            + BystanderRun.SCENARIO.description()
            + ", there or on another server of this machine",
        List.of("lock", "x elsewhere", "lowest", "highest", "there", "elsewhere", "sections/s"),
        results.stream()
            .map(result -> List.of(
                result.label(),
                ratio(result.toElsewhere()),
                number("%.2f", result.toElsewhere().lowest()),
                number("%.2f", result.toElsewhere().highest()),
                number("%,.0f", result.commitsPerSecond()),
                number("%,.0f", result.elsewhere()),
                number("%,.0f", result.sectionsPerSecond())))
            .toList());
  }

  /** One of three servers falls silent. */
  static Table silentMember(List<SilentMemberResult> results) {
    return new Table(
        "Silent member: sections a second before and after the first server stops answering, "
            + SilentMemberRun.SCENARIO.description(),
        List.of("subject", "before", "first second", "after", "x before"),
        results.stream()
            .map(result -> List.of(
                result.label(),
                number("%,.0f", result.before()),
                number("%,.0f", result.firstSecond()),
                number("%,.0f", result.after()),
                number("%.2f", result.left())))
            .toList());
  }

  /** A read-write lock or a semaphore. */
  static Table counted(List<CountedResult> results) {
    CountedResult any = results.get(0);
    List<String> header =
        new ArrayList<>(List.of("subject", "sections/s", "x peer", "x peer, worst wait"));
    for (CountedResult.Way way : any.ways()) {
      header.addAll(
          List.of(way.name() + " p50 us", way.name() + " p99 us", way.name() + " worst ms"));
    }
    return new Table(
        any.scenario() + ": " + any.description(),
        header,
        results.stream().map(Tables::countedRow).toList());
  }

  private static List<String> countedRow(CountedResult result) {
    List<String> row = new ArrayList<>();
    row.add(result.label()
        + (result.hangs() == null ? "" : " (HANGS)")
        + (result.excesses() == 0 ? "" : " (EXCLUSION VIOLATED)"));
    if (result.rounds().isEmpty()) {
      row.addAll(Collections.nCopies(3 + 3 * result.ways().size(), NONE));
      return row;
    }
    row.add(number("%,.0f", result.sectionsPerSecond()));
    row.add(ratio(result.toPeer()));
    row.add(result.worstToPeer() == null ? NONE : number("%.3f", result.worstToPeer()));
    for (CountedResult.Way way : result.ways()) {
      row.add(number("%,.0f", way.acquire().p50Micros()));
      row.add(number("%,.0f", way.acquire().p99Micros()));
      row.add(number("%,.1f", way.acquire().worstMillis()));
    }
    return row;
  }

  static Table targets(List<Target> targets) {
    return new Table(
        "Targets",
        List.of("target", "asked", "measured", "met"),
        targets.stream()
            .map(target -> List.of(
                target.text(),
                number("%.2f", target.bound()),
                number("%.2f", target.measured()),
                target.met() ? "yes" : "no"))
            .toList());
  }

  /** Where it ran and what was measured, one line each. */
  static List<String> notes(BenchReport report) {
    BenchReport.Environment environment = report.environment();
    List<String> libraries = new ArrayList<>();
    environment.libraries().forEach((name, version) -> libraries.add(name + " " + version));
    BenchPlan plan = report.plan();
    List<String> notes = new ArrayList<>();
    notes.add("Server: " + environment.server() + " (" + environment.serverSource() + ")");
    notes.add(
        "JDK %s, %s, %d cores".formatted(environment.jdk(), environment.os(), environment.cores()));
    notes.add("Libraries: " + String.join(", ", libraries));
    notes.add("Run: %s, %s, %d interleaved rounds of %d ms for each subject"
        .formatted(
            environment.started(), plan.mode(), plan.rounds(), plan.round().toMillis()));
    notes.add("Ratios are the median of the rounds; commands and CPU time are those of one acquire"
        + " and one release");
    if (environment.busy()) {
      notes.add(busyNote(environment));
    }
    report.counted().stream()
        .filter(result -> result.hangs() != null)
        .map(result -> "%s hangs in %s, after %d of %d rounds: %s"
            .formatted(
                result.label(),
                result.scenario(),
                result.rounds().size(),
                plan.rounds(),
                result.hangs()))
        .forEach(notes::add);
    return notes;
  }

  public static String busyNote(BenchReport.Environment environment) {
    return String.format(
        Locale.ROOT,
        "The machine was busy with other programs (load %.1f on %d cores): believe the CPU times"
            + " rather than the rest",
        environment.load(),
        environment.cores());
  }

  private static String ratio(Statistics.@Nullable Ratio ratio) {
    return ratio == null ? NONE : number("%.2f", ratio.median());
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
