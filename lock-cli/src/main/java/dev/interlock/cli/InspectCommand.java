package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.spi.LockBackend;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code inspect}. For one run, by one thread. */
@Command(
    name = "inspect",
    description = "Tells who holds a lock.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:it is held",
      "1:the server cannot be asked",
      "2:wrong arguments",
      "3:it is free"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class,
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      paramLabel = LockName.LABEL,
      description = LockName.DESCRIPTION,
      converter = LockName.class)
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private String name;

  @Option(names = "--json", description = "For programs: one JSON document, null if it is free.")
  private boolean json;

  /** For picocli. */
  InspectCommand() {}

  @Override
  public Integer call() {
    Optional<HoldInfo> found;
    String server;
    try (LockBackend backend = target.open()) {
      server = backend.server();
      found = backend.inspect(name);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(found.map(HoldJson::of).orElse("null"));
    } else if (found.isEmpty()) {
      out.println("Lock '" + Printable.of(name) + "' is free.");
    } else {
      out.println(describe(found.get(), server));
    }
    out.flush();
    return found.isPresent() ? ExitCode.OK : Operators.NOT_HELD;
  }

  private static String describe(HoldInfo hold, String server) {
    return String.join(
        System.lineSeparator(),
        "lock     " + Printable.of(hold.name()),
        "owner    " + Printable.of(hold.owner()),
        "host     " + Printable.of(hold.host()),
        "since    " + HoldTable.since(hold.since()),
        "left     " + HoldTable.time(hold.remaining()),
        "token    " + HoldTable.token(hold.fencingToken()),
        "waiters  " + hold.waiters(),
        "server   " + Printable.of(server));
  }
}
