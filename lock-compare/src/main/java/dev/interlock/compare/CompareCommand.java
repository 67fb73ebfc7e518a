package dev.interlock.compare;

import dev.interlock.compare.cli.RunLog;
import dev.interlock.compare.cli.Terminal;
import dev.interlock.compare.cli.Versions;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.report.Baseline;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.Report;
import dev.interlock.compare.report.ReportFiles;
import dev.interlock.compare.report.TerminalReport;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.compare.servers.Subject;
import dev.interlock.compare.tck.CandidateRunner;
import dev.interlock.compare.tck.KitSettings;
import dev.interlock.compare.tck.RunInOwnJvm;
import dev.interlock.compare.tck.RunNoRule;
import dev.interlock.compare.tck.RunOptions;
import dev.interlock.tck.Effort;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code compare}. For one run, by one thread. */
@Command(
    name = "compare",
    description = "Runs the kit over the providers on real servers, measures, and writes a report.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:every claimed rule holds",
      "1:a claimed rule fails or remains undecided, a figure could not be taken, nothing was"
          + " judged, or the run could not be finished; a rule for which there were no means counts"
          + " only if --rules names it, a fact that could not be measured only with --facts (n/a"
          + " is an answer)",
      "2:wrong arguments"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
final class CompareCommand implements Callable<Integer> {
  private static final String ALL_PEERS = "all";
  private static final String NONE = "none";

  private final Function<Path, CandidateRunner> runner;
  private final List<Measurement> measurements;
  private final List<Observation> observations;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Mixin
  private final RunOptions run = new RunOptions();

  @ArgGroup
  private @Nullable Amount amount;

  @Option(
      names = "--providers",
      split = ",",
      paramLabel = "ID",
      description = {
        "Which to compare, such as local,redis-setnx; 'none' leaves the peers alone.",
        "Default: all."
      })
  private List<String> providers = new ArrayList<>();

  @Option(
      names = "--peers",
      split = ",",
      arity = "0..1",
      fallbackValue = ALL_PEERS,
      paramLabel = "ID",
      description = {
        "Also judges other libraries' locks, by the rules that their APIs can express:",
        "redisson, redisson-fair, redisson-fenced, spring-redis, spring-jdbc; all unless some are",
        "named. What they do changes nothing about the exit status, unless they are alone and",
        "cannot be judged, or a fact that --facts names cannot be measured."
      })
  private List<String> peers = new ArrayList<>();

  @Option(
      names = "--facts",
      split = ",",
      paramLabel = "WHAT",
      completionCandidates = FactNames.class,
      description = {
        "Only these parts of 'What happens when ...', such as holder-killed; no rules and no",
        "figures then. Known: ${COMPLETION-CANDIDATES}."
      })
  private List<String> facts = new ArrayList<>();

  @Option(
      names = "--uri",
      paramLabel = "ID=URI",
      description = {
        "A server for a provider, such as redis-setnx=redis-setnx://localhost:6379. Default:",
        "one is started. May be given several times."
      })
  private List<String> uris = new ArrayList<>();

  @Option(
      names = "--baseline",
      paramLabel = "FILE",
      description = "An earlier report.json: what is not as it was is printed, too.")
  private @Nullable Path baseline;

  /** What may stand after {@code --facts}. */
  static final class FactNames extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    /** For picocli. */
    FactNames() {
      super(Stream.of(Happening.values()).map(Happening::option).toList());
    }
  }

  /** How much work each rule is worth; the two exclude each other. */
  static final class Amount {
    @Option(names = "--quick", description = "About two minutes for a provider.")
    private boolean quick;

    @Option(
        names = "--full",
        description = "Reaches rare interleavings: some six minutes for a provider.")
    private boolean full;

    Effort effort() {
      return quick ? Effort.QUICK : full ? Effort.FULL : Effort.STANDARD;
    }
  }

  /** For picocli. */
  CompareCommand() {
    this(RunInOwnJvm::new, Measurement.ALL, Observation.ALL);
  }

  /**
   * Of other parts.
   *
   * @param runner is told the directory of the report
   */
  CompareCommand(
      Function<Path, CandidateRunner> runner,
      List<Measurement> measurements,
      List<Observation> observations) {
    this.runner = runner;
    this.measurements = measurements;
    this.observations = observations;
  }

  @Override
  public Integer call() throws IOException {
    List<Subject> subjects = subjects();
    Map<String, String> given = givenUris(subjects);
    List<Peer> others = peers();
    Optional<Baseline> before = baseline();
    Path directory = run.directory();
    Set<String> rules = run.rules();
    Set<Happening> happenings = happenings(rules);
    Effort effort = amount == null ? Effort.STANDARD : amount.effort();
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    PrintWriter err = spec.commandLine().getErr();
    long chosen = run.tellSeed();
    Report report;
    Path log = directory.resolve("compare.log");
    try (RunLog unused = RunLog.to(log)) {
      Progress progress = new Progress(err, ansi);
      KitSettings settings = new KitSettings(
          rules, effort, chosen, directory.resolve(Report.HISTORIES), run.allHistories());
      report = new Comparison(
              happenings.isEmpty() ? runner.apply(directory) : new RunNoRule(),
              rules.isEmpty() && happenings.isEmpty() ? measurements : List.of(),
              rules.isEmpty() ? looked(happenings) : List.of(),
              settings,
              run.timeScale(),
              progress)
          .run(subjects, given, others);
    }
    if (before.isPresent()) {
      report = report.since(before.get());
    }
    PrintWriter results = spec.commandLine().getOut();
    new TerminalReport(report, ansi, Terminal.isUnicode()).print(results);
    ReportFiles.write(report, directory).forEach(file -> results.println("Written: " + file));
    results.flush();
    return report.isGood() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private List<Subject> subjects() {
    if (providers.isEmpty()) {
      return Subject.ALL;
    }
    if (providers.equals(List.of(NONE))) {
      if (peers.isEmpty()) {
        throw wrong("With --providers none there must be --peers, or nothing is compared.");
      }
      return List.of();
    }
    Set<Subject> chosen = new LinkedHashSet<>();
    for (String id : providers) {
      chosen.add(Subject.find(id.strip())
          .orElseThrow(
              () -> wrong("Unknown provider '" + id + "'. Known: " + Subject.knownIds() + ".")));
    }
    return List.copyOf(chosen);
  }

  /** What is to be looked at alone; none if all is done. */
  private Set<Happening> happenings(Set<String> rules) {
    if (!facts.isEmpty() && !rules.isEmpty()) {
      throw wrong("--rules and --facts exclude each other.");
    }
    Set<Happening> chosen = EnumSet.noneOf(Happening.class);
    for (String name : facts) {
      chosen.add(Happening.find(name.strip())
          .orElseThrow(() ->
              wrong("Unknown fact '" + name + "'. Known: " + Happening.knownOptions() + ".")));
    }
    return chosen;
  }

  private List<Observation> looked(Set<Happening> happenings) {
    return happenings.isEmpty()
        ? observations
        : observations.stream()
            .filter(one -> happenings.contains(one.happening()))
            .toList();
  }

  private List<Peer> peers() {
    if (peers.equals(List.of(ALL_PEERS))) {
      return Peer.ALL;
    }
    Set<Peer> chosen = new LinkedHashSet<>();
    for (String id : peers) {
      chosen.add(Peer.find(id.strip())
          .orElseThrow(() -> wrong("Unknown peer '" + id + "'. Known: " + Peer.knownIds() + ".")));
    }
    return List.copyOf(chosen);
  }

  /** Faults are told without the URI, which may have a password in it. */
  private Map<String, String> givenUris(List<Subject> subjects) {
    Map<String, String> given = new LinkedHashMap<>();
    for (String text : uris) {
      int equals = text.indexOf('=');
      String id = equals < 0 ? "" : text.substring(0, equals);
      if (!id.matches("[a-z0-9-]+")) {
        throw wrong("--uri must have the form ID=URI, such as redis-setnx=redis-setnx://host.");
      }
      if (subjects.stream().noneMatch(subject -> subject.id().equals(id))) {
        throw wrong("--uri is for '" + id + "', which is not compared in this run. Known: "
            + Subject.knownIds() + ".");
      }
      String uri = text.substring(equals + 1);
      if (!LockUris.scheme(uri).orElse("").equals(id)) {
        throw wrong("The URI for '" + id + "' must begin with " + id + "://.");
      }
      if (given.put(id, uri) != null) {
        throw wrong("--uri is given twice for '" + id + "'.");
      }
    }
    return given;
  }

  private Optional<Baseline> baseline() {
    if (baseline == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Baseline.read(baseline));
    } catch (IOException e) {
      throw wrong("--baseline " + baseline + " cannot be used: " + e.getMessage() + ".");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
