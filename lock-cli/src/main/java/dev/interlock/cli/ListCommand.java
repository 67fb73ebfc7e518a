package dev.interlock.cli;

import dev.interlock.spi.LockBackend;
import java.io.PrintWriter;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code ls}. For one run, by one thread. */
@Command(
    name = "ls",
    description = "Lists the locks that are held, in the order of their names.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:listed, possibly nothing",
      "1:the server cannot be asked",
      "2:wrong arguments"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class,
    sortOptions = false)
final class ListCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before run()
  private CommandSpec spec;

  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "What the names begin with. Default: all names.")
  private String prefix = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many locks at the most. Default: ${DEFAULT-VALUE}.")
  private int limit = 10_000;

  @Option(names = "--json", description = "For programs: one JSON document.")
  private boolean json;

  /** For picocli. */
  ListCommand() {}

  @Override
  public void run() {
    requirePositive(spec, "--limit", limit);
    try (LockBackend backend = target.open()) {
      Instant now = Instant.now();
      HeldLocks held = HeldLocks.list(backend, prefix, limit, HeldLocks.PAGE);
      PrintWriter out = spec.commandLine().getOut();
      out.println(json ? HoldJson.of(held, now) : text(held));
      out.flush();
    }
  }

  private String text(HeldLocks held) {
    if (held.locks().isEmpty()) {
      return prefix.isEmpty()
          ? "No lock is held."
          : "No lock is held whose name begins with '" + Printable.of(prefix) + "'.";
    }
    String rest = held.more() ? " There are more: --limit shows them." : "";
    return String.format(
        "%s%n%d held.%s", HoldTable.of(held.locks()), held.locks().size(), rest);
  }

  static void requirePositive(CommandSpec spec, String option, int number) {
    if (number < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least 1, not " + number + ".");
    }
  }
}
