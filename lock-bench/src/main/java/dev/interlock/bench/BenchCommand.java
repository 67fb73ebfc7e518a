package dev.interlock.bench;

import dev.interlock.bench.report.BenchReport;
import dev.interlock.bench.report.ReportFiles;
import dev.interlock.bench.report.TerminalReport;
import dev.interlock.bench.runs.Progress;
import dev.interlock.bench.runs.SilentMemberRun;
import dev.interlock.bench.subjects.QuorumSubjects;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.bench.subjects.Subjects;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.ServerUnavailableException;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TestServer;
import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/** The command {@code bench}. For one run, by one thread. */
@Command(
    name = "bench",
    description =
        "Measures Interlock's providers beside a raw floor and other locks, in turns on one"
            + " server, and checks exclusion while it measures. The others are Redisson and Spring"
            + " Integration on Redis, and the server's own locks, Spring Integration (JDBC) and"
            + " ShedLock on MySQL and PostgreSQL.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all was measured",
      "1:a subject failed or violated exclusion, or there is no server",
      "2:wrong arguments"
    },
    sortOptions = false)
public final class BenchCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  @Spec
  private @Nullable CommandSpec spec;

  @Option(names = "--quick", description = "Ends within 100 s; else it takes up to 12 minutes.")
  private boolean quick;

  @Option(
      names = "--on",
      paramLabel = "SERVER",
      description = "What to measure on: redis, mysql, which may be MariaDB, or postgres. Default:"
          + " ${DEFAULT-VALUE}.")
  private ServerKind on = ServerKind.REDIS;

  @Option(
      names = "--subjects",
      split = ",",
      paramLabel = "ID",
      description =
          "What to measure, such as redis-setnx,redisson. Default: all (see --list). The floor is"
              + " always measured.")
  private List<String> subjectIds = new ArrayList<>();

  @Option(
      names = "--scenarios",
      split = ",",
      paramLabel = "ID",
      description =
          "Threads, locks and clients, such as 16t1l1c, or 'uncontended', 'hand-off', 'readwrite',"
              + " 'semaphore', or in a database 'fenced-writes', or on postgres 'bystander'. Default:"
              + " all, but with --uri without 'bystander', whose second server is of this machine.")
  private List<String> scenarioIds = new ArrayList<>();

  @Option(
      names = "--uri",
      paramLabel = "URI",
      description = "The server: redis://[user:password@]host[:port][/database], or mysql: or"
          + " postgres://user:password@host[:port]/database. Default: one is started.")
  private @Nullable String uri;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "target/bench",
      description = "Where the report is written, as JSON and Markdown. Default: ${DEFAULT-VALUE}.")
  private Path out = Path.of("target/bench");

  @Option(
      names = "--quorum",
      description =
          "Starts three Redis servers and measures locks over all of them beside those of one.")
  private boolean quorum;

  @Option(
      names = "--jmh",
      description =
          "Runs the JMH benchmarks instead: the uncontended path, and a @Locked call beside it.")
  private boolean jmh;

  @Option(names = "--list", description = "Lists the subjects and scenarios, and ends.")
  private boolean list;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it.
  private boolean help;

  /** For picocli; see {@link #commandLine()}. */
  public BenchCommand() {}

  /**
   * Returns the command, ready to be executed.
   *
   * @return a command line for one run
   */
  public static CommandLine commandLine() {
    BenchCommand bench = new BenchCommand();
    return new CommandLine(bench)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(bench::run);
  }

  /** As picocli does, which lets a library that is missing end the JVM with a stack trace. */
  private int run(ParseResult parsed) {
    try {
      return new RunLast().execute(parsed);
    } catch (LinkageError e) {
      return failed(e);
    }
  }

  /**
   * Runs the bench.
   *
   * @return the exit status
   * @throws InterruptedException if interrupted while it measures
   */
  @Override
  public Integer call() throws InterruptedException {
    if (jmh && (on != ServerKind.REDIS || !scenarioIds.isEmpty())) {
      throw wrong("--jmh measures the uncontended path on Redis: it takes no --on or --scenarios");
    }
    if (quorum && (on != ServerKind.REDIS || jmh || uri != null)) {
      throw wrong("--quorum starts three Redis servers: it takes no --on, --jmh or --uri");
    }
    if (list) {
      list(all(List.of()));
      return 0;
    }
    List<Scenario> scenarios;
    ServerAddress given;
    try {
      var unused = Subjects.select(all(List.of()), subjectIds);
      scenarios = scenarios();
      given = uri == null ? null : ServerAddress.parse(on, uri);
    } catch (IllegalArgumentException e) {
      throw wrong(message(e));
    }
    if (quorum) {
      return onThree(scenarios);
    }
    return onServer(
        given, (server, source) -> measure(selected(List.of()), scenarios, server, source, null));
  }

  private List<Subject> selected(List<ServerAddress> others) {
    return Subjects.select(all(others), subjectIds);
  }

  private List<Subject> all(List<ServerAddress> others) {
    if (quorum) {
      return QuorumSubjects.all(others);
    }
    return jmh ? Subjects.forJmh() : Subjects.on(on);
  }

  private void list(List<Subject> all) {
    PrintWriter results = commandSpec().commandLine().getOut();
    for (Subject subject : all) {
      results.printf("%-16s %s (%s)%n", subject.id(), subject.label(), subject.library());
    }
    Scenario.ALL.forEach(one -> results.printf("%-16s %s%n", one.id(), one.description()));
    ExtraMeasurement.on(on, quorum)
        .forEach(one -> results.printf("%-16s %s%n", one.id(), one.description()));
    results.flush();
  }

  private List<Scenario> scenarios() {
    if (scenarioIds.isEmpty()) {
      return Scenario.ALL;
    }
    Set<Scenario> scenarios = new LinkedHashSet<>();
    scenarioIds.stream()
        .filter(id -> ExtraMeasurement.find(id, on, quorum).isEmpty())
        .map(Scenario::parse)
        .forEach(scenarios::add);
    return List.copyOf(scenarios);
  }

  private Set<ExtraMeasurement> extras() {
    if (scenarioIds.isEmpty()) {
      return ExtraMeasurement.on(on, quorum);
    }
    return scenarioIds.stream()
        .flatMap(id -> ExtraMeasurement.find(id, on, quorum).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private int onServer(@Nullable ServerAddress given, Measurement measurement)
      throws InterruptedException {
    try {
      if (given != null) {
        return measurement.on(given, "given");
      }
      try (TestServer server = start()) {
        return measurement.on(ServerAddress.parse(on, server.uri()), server.source());
      }
    } catch (ServerUnavailableException | TestServerException | IOException | RunnerException e) {
      return failed(e);
    }
  }

  private TestServer start() {
    return switch (on) {
      case REDIS -> TestRedis.start();
      case MYSQL -> TestMysql.start();
      case POSTGRES -> TestPostgres.start();
    };
  }

  /** The first server is the one on which locks of a single server are measured. */
  private int onThree(List<Scenario> scenarios) throws InterruptedException {
    try (RedisServer first = TestRedis.builder().owned().start();
        RedisServer second = TestRedis.builder().owned().start();
        RedisServer third = TestRedis.builder().owned().start()) {
      List<ServerAddress> others = Stream.of(second, third)
          .map(server -> ServerAddress.parse(on, server.uri()))
          .toList();
      return measure(
          selected(others),
          scenarios,
          ServerAddress.parse(on, first.uri()),
          "three of them, " + first.source(),
          first);
    } catch (ServerUnavailableException | TestServerException | IOException | RunnerException e) {
      return failed(e);
    }
  }

  private int failed(Throwable e) {
    PrintWriter errors = commandSpec().commandLine().getErr();
    errors.println("The bench could not run: " + message(e));
    errors.flush();
    return FAILED;
  }

  private int measure(
      List<Subject> subjects,
      List<Scenario> scenarios,
      ServerAddress server,
      String source,
      @Nullable RedisServer first)
      throws InterruptedException, IOException, RunnerException {
    PrintWriter results = commandSpec().commandLine().getOut();
    if (jmh) {
      results.println("Written: " + JmhRun.run(server, subjects, quick, out));
      results.flush();
      return 0;
    }
    Progress progress = new Progress(commandSpec().commandLine().getErr());
    BenchReport report;
    try (SecondServer second = secondServer(subjects, progress)) {
      report = new BenchRun(on, subjects, scenarios, second.extras(), quick, progress)
          .on(server, source, first == null ? null : silenced(first), second.address());
    }
    TerminalReport.print(report, results);
    ReportFiles.write(report, out, stem()).forEach(file -> results.println("Written: " + file));
    results.flush();
    return report.sound() ? 0 : FAILED;
  }

  private SecondServer secondServer(List<Subject> subjects, Progress progress) {
    boolean byName = !scenarioIds.isEmpty();
    return SecondServer.forBystander(
        extras(),
        byName,
        uri != null,
        subjects,
        () -> TestPostgres.builder().owned().start(),
        progress);
  }

  private String stem() {
    if (quorum) {
      return "bench-quorum";
    }
    return on == ServerKind.REDIS ? "bench" : "bench-" + on.scheme();
  }

  private static SilentMemberRun.Member silenced(RedisServer server) {
    return new SilentMemberRun.Member() {
      @Override
      public void pause() {
        server.pause();
      }

      @Override
      public void resume() {
        server.resume();
      }
    };
  }

  private ParameterException wrong(String message) {
    return new ParameterException(commandSpec().commandLine(), message);
  }

  private CommandSpec commandSpec() {
    return Objects.requireNonNull(spec, "picocli sets it");
  }

  private static String message(Throwable e) {
    if (e instanceof LinkageError) {
      return "a library is missing on the class path, or too old or too new: "
          + e
          + (e.getCause() == null ? "" : " (" + e.getCause() + ")");
    }
    return Objects.requireNonNullElse(e.getMessage(), e.toString());
  }

  private interface Measurement {
    int on(ServerAddress server, String source)
        throws InterruptedException, IOException, RunnerException;
  }
}
