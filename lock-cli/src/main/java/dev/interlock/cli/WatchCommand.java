package dev.interlock.cli;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.LockBackend;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code watch}. For one run, by one thread. */
@Command(
    name = "watch",
    description = "Shows the locks that are held and how many wait for each, anew every second:"
        + " those with the most waiters first. Ctrl-C ends it. A fault of the server is shown, and it"
        + " goes on.",
    exitCodeList = {
      "0:after --count times",
      "1:the server could not be asked at first, or the last time; or the output cannot be written",
      Operators.WRONG
    })
final class WatchCommand implements Callable<Integer> {
  private static final long PAUSE_SECONDS = 1;

  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = LockName.LABEL,
      description = "One lock only, with those who wait for it if the provider knows them. "
          + LockName.DESCRIPTION + " Default: all that are held.",
      converter = LockName.class)
  private @Nullable String name;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "How many locks are shown as text. Default: ${DEFAULT-VALUE}.")
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

  @Mixin
  private final Output output = new Output();

  /** For picocli. */
  WatchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    output.requirePositive("--rows", rows);
    output.requirePositive("--limit", limit);
    if (count != null) {
      output.requirePositive("--count", count);
    }
    try (LockBackend backend = target.open()) {
      WatchView view = new WatchView(output.isTerminal(), backend.server(), rows);
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
      output.print(output.isJson() ? HoldJson.of(held, now) : view.of(held, now));
      return true;
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (output.isJson()) {
        output.err().println(message(e));
        output.err().flush();
      } else {
        output.print(view.fault(message(e), now));
      }
      return false;
    }
  }

  private HeldLocks read(LockBackend backend) {
    if (name == null) {
      return HeldLocks.list(backend, "", limit, HeldLocks.PAGE);
    }
    List<HoldInfo> found = backend.inspect(name).stream().toList();
    return new HeldLocks(found, false, LockQueue.read(backend, name));
  }

  private static String message(LockException fault) {
    return Printable.of(String.valueOf(fault.getMessage()));
  }
}
