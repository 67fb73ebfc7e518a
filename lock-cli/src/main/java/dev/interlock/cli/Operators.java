package dev.interlock.cli;

import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockProviderNotFoundException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/** The command line of those who run a lock server. */
@Command(
    name = "interlock",
    description = "Shows who holds the locks of a server, and takes one away.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ListCommand.class,
      InspectCommand.class,
      WatchCommand.class,
      ForceCommand.class,
      HelpCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class)
public final class Operators implements Runnable {
  /** The exit status if the lock is free, or held by another than asked for. */
  static final int NOT_HELD = 3;

  /** What the exit status 2 means, for the help of a command. */
  static final String WRONG =
      "2:wrong arguments, or settings that do not fit the server: its tables, the account's rights"
          + " on them, its version, the provider";

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before run()
  private CommandSpec spec;

  /** For picocli. */
  public Operators() {}

  /**
   * Runs a command and ends the JVM: status 0 if all is well, 1 if the server cannot be asked or it
   * is not known what it did, 2 if the arguments are wrong or do not fit the server, 3 if the lock
   * is free.
   *
   * @param args as {@code help} lists them
   */
  public static void main(String[] args) {
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Operators())
        // The name of a lock may begin with an @.
        .setExpandAtFiles(false)
        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
        .setExecutionStrategy(Operators::run)
        .setParameterExceptionHandler((error, args) -> wrongUsage(error, args))
        .setExecutionExceptionHandler((error, failed, parsed) -> failed(error, failed));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "A command is missing: ls, inspect, watch, force or help.");
  }

  private static int wrongUsage(ParameterException error, String[] args) {
    CommandLine at = error.getCommandLine();
    PrintWriter err = at.getErr();
    String message = withoutUris(String.valueOf(error.getMessage()), args);
    err.println(at.getColorScheme().errorText(Printable.of(message)));
    CommandLine.UnmatchedArgumentException.printSuggestions(error, err);
    err.println("Try '" + at.getCommandSpec().qualifiedName() + " --help'.");
    err.flush();
    return ExitCode.USAGE;
  }

  /**
   * Leaves out all of a URI but its scheme: a password may be anywhere in it, as it was typed. Of
   * what is no URI, it is between a colon and an at sign.
   */
  private static String withoutUris(String message, String[] args) {
    String shown = message;
    for (String secret : longestFirst(args, "://", arg -> arg.substring(arg.indexOf("://")))) {
      shown = shown.replace(secret, "://...");
    }
    shown = shown.replaceAll("://[^\\s']*", "://..."); // a part of an argument
    for (String secret : longestFirst(args, "@", Operators::beforeHost)) {
      shown = shown.replace(secret, "...@");
    }
    return shown;
  }

  /** What of the arguments is secret; one may begin another. */
  private static List<String> longestFirst(
      String[] args, String sign, UnaryOperator<String> secret) {
    return Arrays.stream(args)
        .filter(arg -> arg.contains(sign))
        .map(secret)
        .filter(found -> found.contains(":"))
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }

  private static String beforeHost(String arg) {
    String value = arg.startsWith("--") ? arg.substring(arg.indexOf('=') + 1) : arg;
    return value.substring(0, value.lastIndexOf('@') + 1);
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
    err.println(at.getColorScheme().errorText(Printable.of(message(error))));
    err.flush();
    boolean wrongSettings = error instanceof LockConfigurationException
        || error instanceof LockProviderNotFoundException;
    return wrongSettings ? ExitCode.USAGE : ExitCode.SOFTWARE;
  }

  private static String message(Throwable error) {
    if (error instanceof LinkageError) {
      return "A library is missing on the class path, or too old or too new: "
          + error
          + (error.getCause() == null ? "" : " (" + error.getCause() + ")");
    }
    String message = error.getMessage();
    return error instanceof LockException && message != null ? message : error.toString();
  }

  /** Tells the version of this build. */
  static final class Version implements IVersionProvider {
    /** For picocli. */
    Version() {}

    @Override
    public String[] getVersion() {
      String version = Operators.class.getPackage().getImplementationVersion();
      return new String[] {
        "interlock " + (version == null ? "unpackaged" : version), "JDK " + Runtime.version()
      };
    }
  }
}
