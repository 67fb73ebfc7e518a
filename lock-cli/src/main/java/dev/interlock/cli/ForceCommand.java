package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.spi.LockBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code force}. For one run, by one thread. */
@Command(
    name = "force",
    description = "Takes a lock from its holder, who loses it and may still be at work. Shows the"
        + " holder and asks before it does so. A successor that came meanwhile is spared.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the lock was taken from the holder that was shown",
      "1:the server cannot be asked, or it is not known whether the lock was taken",
      "2:wrong arguments",
      "3:nothing was taken: the lock is free, has another holder, or the answer was not yes"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class,
    sortOptions = false)
final class ForceCommand implements Callable<Integer> {
  private static final String YES = "yes";

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

  @Option(names = "--yes", description = "Does not ask. For scripts, best with --token.")
  private boolean yes;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "Only if the holder has this fencing token, as ls and inspect show it.")
  private @Nullable Long token;

  @Option(names = "--json", description = "For programs: one JSON document.")
  private boolean json;

  /** For picocli. */
  ForceCommand() {}

  @Override
  public Integer call() throws IOException {
    try (LockBackend backend = target.open()) {
      Optional<HoldInfo> found = backend.inspect(name);
      if (found.isEmpty()) {
        return tell(null, false, "Lock " + quoted() + " is free.");
      }
      HoldInfo hold = found.get();
      long victim = token == null ? hold.fencingToken() : token;
      if (!yes && !isConfirmed(hold, victim)) {
        return tell(hold, false, "Nothing was taken.");
      }
      boolean taken = backend.forceRelease(name, victim);
      return tell(
          hold,
          taken,
          taken
              ? "Lock " + quoted() + " was taken from " + Printable.of(hold.owner()) + "."
              : "Nothing was taken: the holder of lock " + quoted()
                  + " is another one by now, or it" + " is free.");
    }
  }

  private boolean isConfirmed(HoldInfo hold, long victim) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    err.println(HoldTable.of(List.of(hold)));
    if (victim != hold.fencingToken()) {
      err.println("Its token is not " + victim + ", unless its client passed the lock on.");
    }
    err.println("The holder may be at work. Whoever gets the lock next works beside it.");
    err.print("Take lock " + quoted() + " away? Type yes: ");
    err.flush();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    String answer = in.readLine();
    return answer != null && answer.strip().equals(YES);
  }

  private int tell(@Nullable HoldInfo hold, boolean taken, String sentence) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? HoldJson.forced(hold, taken) : sentence);
    out.flush();
    return taken ? ExitCode.OK : Operators.NOT_HELD;
  }

  private String quoted() {
    return "'" + Printable.of(name) + "'";
  }
}
