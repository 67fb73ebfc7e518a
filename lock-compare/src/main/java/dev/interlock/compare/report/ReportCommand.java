package dev.interlock.compare.report;

import dev.interlock.compare.cli.OutputDirectory;
import dev.interlock.compare.cli.Versions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code report}. For one run, by one thread. */
@Command(
    name = "report",
    description = "Makes the Markdown and the page of a saved report.json again.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:they are written", "1:they could not be written", "2:wrong arguments"},
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class ReportCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A report.json of compare or tck.")
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private Path file;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where they are written. Default: target/${COMMAND-NAME}.")
  private @Nullable Path out;

  /** For picocli. */
  ReportCommand() {}

  @Override
  public Integer call() throws IOException {
    Report report = read();
    Path directory = OutputDirectory.prepare(out, spec.commandLine());
    PrintWriter results = spec.commandLine().getOut();
    ReportFiles.write(report, directory).forEach(each -> results.println("Written: " + each));
    results.flush();
    return ExitCode.OK;
  }

  private Report read() {
    try {
      return ReportReader.read(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), file + " cannot be used: " + e.getMessage() + ".");
    }
  }
}
