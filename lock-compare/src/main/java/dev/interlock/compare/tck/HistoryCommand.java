package dev.interlock.compare.tck;

import dev.interlock.compare.cli.Versions;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.report.Verdicts;
import dev.interlock.tck.SavedHistory;
import dev.interlock.tck.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code history}. For one run, by one thread. */
@Command(
    name = "history",
    description = "Judges histories again that a run has saved.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:no violation is found", "1:a violation is found", "2:wrong arguments"},
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class HistoryCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Such as target/compare/histories/mysql-X1-42.tsv; a report names them.")
  private List<Path> files = new ArrayList<>();

  /** For picocli. */
  HistoryCommand() {}

  @Override
  public Integer call() {
    // All of them before the first is judged: a wrong name is told at once.
    List<SavedHistory> histories = files.stream().map(this::read).toList();
    PrintWriter out = spec.commandLine().getOut();
    boolean good = true;
    for (SavedHistory history : histories) {
      good &= judge(history, out);
    }
    out.flush();
    return good ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private SavedHistory read(Path file) {
    try {
      return SavedHistory.read(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), file + " cannot be read as a saved history: " + e);
    }
  }

  private boolean judge(SavedHistory history, PrintWriter out) {
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    out.printf("%s %s, seed %d%n", history.provider(), history.rule(), history.seed());
    boolean good = true;
    for (SavedHistory.Part part : history.judge()) {
      String verdict = Verdicts.paint(ansi, ProviderReport.text(part.verdict()));
      out.printf("  %s  %s (%,d entries)%n", verdict, part.check(), part.entries());
      part.lines().forEach(line -> out.println("      " + line));
      good &= part.verdict() != Verdict.FAIL;
    }
    return good;
  }
}
