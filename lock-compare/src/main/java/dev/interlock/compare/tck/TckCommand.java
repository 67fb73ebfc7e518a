package dev.interlock.compare.tck;

import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.cli.Terminal;
import dev.interlock.compare.cli.Versions;
import dev.interlock.compare.report.Circumstances;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.report.Report;
import dev.interlock.compare.report.ReportFiles;
import dev.interlock.compare.report.TerminalReport;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.tck.Effort;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code tck}. For one run, by one thread. */
@Command(
    name = "tck",
    description = "Judges somebody's provider by the rules of SPEC.md, and writes a report.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:every claimed rule holds",
      "1:a claimed rule fails or remains undecided, nothing was judged, or the run could not be"
          + " finished; a rule for which there were no means counts only if --rules names it",
      "2:wrong arguments; also a provider that is not there or cannot be loaded"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class TckCommand implements Callable<Integer> {
  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Mixin
  private final RunOptions run = new RunOptions();

  @Option(
      names = {"--classpath", "-cp"},
      required = true,
      paramLabel = "PATH",
      description = {
        "The provider's jar, and the libraries it needs, as for java: acme.jar:lib/*. Of Interlock",
        "itself it needs nothing."
      })
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private String classPath;

  @Option(
      names = "--uri",
      required = true,
      paramLabel = "URI",
      description = "Where the backend is: acme://host. The scheme is the provider's id.")
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private String uri;

  @Option(
      names = "--effort",
      paramLabel = "AMOUNT",
      description = "quick, standard or full. Default: quick.")
  private Effort effort = Effort.QUICK;

  @Option(
      names = "--waive",
      paramLabel = "ID=REASON",
      description = {
        "A rule that is known to fail: it is run, and shown as WAIVED with the reason. May be given",
        "several times."
      })
  private List<String> waivers = new ArrayList<>();

  @Option(
      names = "--in-one-jvm",
      description = "The backend's state is private to a JVM: clients stand for JVMs.")
  private boolean inOneJvm;

  /** For picocli. */
  TckCommand() {}

  @Override
  public Integer call() throws IOException {
    List<String> entries = entries();
    if (LockUris.scheme(uri).isEmpty()) {
      throw wrong("--uri must have the form ID://..., where ID is the provider's id.");
    }
    Set<String> only = run.rules();
    Map<String, String> waived = chosenWaivers();
    Path directory = run.directory();
    long chosen = run.tellSeed();
    JudgeMessage.Order order = new JudgeMessage.Order(
        uri,
        effort,
        chosen,
        new TreeSet<>(only),
        new LinkedHashMap<>(waived),
        run.timeScale(),
        inOneJvm,
        directory.resolve(Report.HISTORIES).toString(),
        run.allHistories());
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    PrintWriter err = spec.commandLine().getErr();
    long start = System.nanoTime();
    Circumstances machine =
        Circumstances.before(Circumstances.TCK, run.timeScale(), inOneJvm, waived);
    JudgeProcess judge =
        JudgeProcess.ofProvider(entries, directory.resolve("tck.log"), new Progress(err, ansi));
    ProviderReport judged = judge(judge, order);
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    Report report = new Report(
        Instant.now(),
        effort,
        chosen,
        took,
        machine.after(),
        List.of(judged),
        List.of(),
        Optional.empty());
    PrintWriter results = spec.commandLine().getOut();
    new TerminalReport(report, ansi, Terminal.isUnicode()).print(results);
    ReportFiles.write(report, directory).forEach(file -> results.println("Written: " + file));
    results.flush();
    return report.isGood() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private ProviderReport judge(JudgeProcess judge, JudgeMessage.Order order) throws IOException {
    try {
      return judge.run(order);
    } catch (JudgeProcess.WrongArgumentsException e) {
      throw wrong(Errors.describe(e));
    }
  }

  private List<String> entries() throws IOException {
    List<String> entries =
        SEPARATOR.splitAsStream(classPath).filter(entry -> !entry.isEmpty()).toList();
    if (entries.isEmpty()) {
      throw wrong("--classpath is empty: name the provider's jar.");
    }
    for (String entry : entries) {
      if (entry.endsWith("*")) {
        requireJars(entry);
      } else if (!Files.exists(Path.of(entry))) {
        throw wrong("--classpath names " + entry + ", which does not exist.");
      }
    }
    return entries;
  }

  private void requireJars(String entry) throws IOException {
    Path directory = Path.of(entry.substring(0, entry.length() - 1));
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "*.{jar,JAR}")) {
        if (jars.iterator().hasNext()) {
          return;
        }
      }
    }
    throw wrong("--classpath names " + entry + ", but there is no jar in that directory.");
  }

  private Map<String, String> chosenWaivers() {
    Map<String, String> chosen = new LinkedHashMap<>();
    for (String waiver : waivers) {
      int equals = waiver.indexOf('=');
      if (equals < 0 || waiver.substring(equals + 1).isBlank()) {
        throw wrong("--waive must have the form ID=REASON, such as \"F2=ACME-117: no queue yet\".");
      }
      String rule = run.known(waiver.substring(0, equals), "--waive");
      if (chosen.put(rule, waiver.substring(equals + 1)) != null) {
        throw wrong("--waive is given twice for " + rule + ".");
      }
    }
    return chosen;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
