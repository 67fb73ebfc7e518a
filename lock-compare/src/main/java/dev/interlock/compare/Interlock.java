package dev.interlock.compare;

import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.cli.Terminal;
import dev.interlock.compare.cli.Versions;
import dev.interlock.compare.demo.DemoCommand;
import dev.interlock.compare.report.ReportCommand;
import dev.interlock.compare.tck.HistoryCommand;
import dev.interlock.compare.tck.TckCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/** The command line of the project, started by the script {@code interlock} at the top level. */
@Command(
    name = "interlock",
    description =
        "Distributed locks for the JVM: compare the backends, judge your own, see them at work.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CompareCommand.class,
      TckCommand.class,
      HistoryCommand.class,
      ReportCommand.class,
      DemoCommand.class,
      HelpCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    footer = {
      "",
      "Also, through the script ./interlock:",
      "  bench    Measures the providers beside other lock libraries; see 'bench --help'.",
      "  ls       Lists the locks that are held on a server; see 'ls --help'.",
      "  inspect  Tells who holds a lock; see 'inspect --help'.",
      "  watch    Shows holders and waiters anew every second; see 'watch --help'.",
      "  force    Takes a lock from its holder; see 'force --help'."
    })
public final class Interlock implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before run()
  private CommandSpec spec;

  /** For picocli. */
  public Interlock() {}

  /**
   * Runs a command and ends the JVM: status 0 if all is well, 1 if a claimed rule fails or the run
   * could not be finished, 2 if the arguments are wrong.
   *
   * @param args as {@code help} lists them
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return prepare(new CommandLine(new Interlock()));
  }

  /** Sets what all commands have in common: where output goes, and how errors are told. */
  static CommandLine prepare(CommandLine commandLine) {
    return commandLine
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(Terminal.writer(System.out))
        .setErr(Terminal.writer(System.err))
        .setExecutionStrategy(Interlock::run)
        .setParameterExceptionHandler((error, args) -> wrongUsage(error, args))
        .setExecutionExceptionHandler((error, failed, parsed) -> failed(error, failed));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "A command is missing: compare, tck, history, report, demo or help.");
  }

  private static int wrongUsage(ParameterException error, String[] args) {
    CommandLine at = error.getCommandLine();
    PrintWriter err = at.getErr();
    String message = Errors.withoutUris(String.valueOf(error.getMessage()), args);
    err.println(at.getColorScheme().errorText(message));
    CommandLine.UnmatchedArgumentException.printSuggestions(error, err);
    err.println("Try '" + at.getCommandSpec().qualifiedName() + " --help'.");
    err.flush();
    return ExitCode.USAGE;
  }

  /** As picocli does, which lets a library that is missing end the JVM with a stack trace. */
  private static int run(ParseResult parsed) {
    try {
      return new RunLast().execute(parsed);
    } catch (LinkageError e) {
      return failed(e, parsed.commandSpec().commandLine());
    }
  }

  private static int failed(Throwable error, CommandLine at) {
    PrintWriter err = at.getErr();
    err.println(at.getColorScheme().errorText(Errors.describe(error)));
    err.flush();
    return ExitCode.SOFTWARE;
  }
}
