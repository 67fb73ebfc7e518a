package dev.interlock.cli;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.LockBackend;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code watch}. For one run, by one thread. */
@Command(
    name = "watch",
    description = "Shows the locks that are held and how many wait for each, anew every second:"
        + " those with the most waiters first. Ctrl-C ends it. A fault of the server is shown, and it"
        + " goes on.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:after --count times",
      "1:the server could not be asked at first, or the last time",
      "2:wrong arguments"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class,
    sortOptions = false)
final class WatchCommand implements Callable<Integer> {
  private static final long PAUSE_SECONDS = 1;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = LockName.LABEL,
      description = "One lock only. " + LockName.DESCRIPTION + " Default: all that are held.",
      converter = LockName.class)
  private @Nullable String name;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "How many locks are shown. Default: ${DEFAULT-VALUE}.")
  private int rows = 20;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many locks are read each time. Default: ${DEFAULT-VALUE}.")
  private int limit = 10_000;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Ends after so many times. Default: goes on.")
  private @Nullable Integer count;

  @Option(
      names = "--json",
      description = "For programs: a JSON document in one line, each time, with all that was read.")
  private boolean json;

  /** For picocli. */
  WatchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    ListCommand.requirePositive(spec, "--rows", rows);
    ListCommand.requirePositive(spec, "--limit", limit);
    if (count != null) {
      ListCommand.requirePositive(spec, "--count", count);
    }
    try (LockBackend backend = target.open()) {
      WatchView view = new WatchView(
          spec.commandLine().getColorScheme().ansi().enabled(), backend.server(), rows);
      for (int shown = 1; ; shown++) {
        boolean seen = show(backend, view);
        if (count != null && shown == count) {
          return seen ? ExitCode.OK : ExitCode.SOFTWARE;
        }
        TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
      }
    }
  }

  /** A fault that may pass is shown in place of the locks; any other ends the command. */
  private boolean show(LockBackend backend, WatchView view) {
    Instant now = Instant.now();
    try {
      HeldLocks held = read(backend);
      print(json ? HoldJson.of(held, now) : view.of(held, now));
      return true;
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (json) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(message(e));
        err.flush();
      } else {
        print(view.fault(message(e), now));
      }
      return false;
    }
  }

  private HeldLocks read(LockBackend backend) {
    if (name == null) {
      return HeldLocks.list(backend, "", limit, HeldLocks.PAGE);
    }
    List<HoldInfo> found = backend.inspect(name).stream().toList();
    return new HeldLocks(found, false);
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }

  private static String message(LockException fault) {
    return Printable.of(String.valueOf(fault.getMessage()));
  }
}
