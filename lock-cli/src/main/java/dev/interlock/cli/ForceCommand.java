package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.spi.LockBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code force}. For one run, by one thread. */
@Command(
    name = "force",
    description = "Takes a lock from its holder, who loses it and may still be at work. Shows the"
        + " holder and asks before it does so. A successor that came meanwhile is spared, unless"
        + " its own client passed the lock on to it: to the server both are one hold.",
    exitCodeList = {
      "0:the lock was taken from the holder that was shown",
      "1:the server cannot be asked, it is not known whether the lock was taken (inspect tells), or"
          + " the output cannot be written",
      Operators.WRONG,
      "3:nothing was taken: the lock is free, has another holder, or the answer was not yes"
    })
final class ForceCommand implements Callable<Integer> {
  private static final String YES = "yes";

  @Mixin
  private final NamedLock lock = new NamedLock();

  @Option(names = "--yes", description = "Does not ask. For scripts, best with --token.")
  private boolean yes;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "Only the hold with this fencing token, as ls and inspect show it. Default: the"
          + " hold that is found, or all of them if several hold the lock together.")
  private @Nullable Long token;

  @Mixin
  private final Output output = new Output();

  /** For picocli. */
  ForceCommand() {}

  @Override
  public Integer call() throws IOException {
    try (LockBackend backend = lock.target().open()) {
      Optional<HoldInfo> found = backend.inspect(lock.name());
      if (found.isEmpty()) {
        return tell(null, false, "Lock " + lock.quoted() + " is free.");
      }
      HoldInfo hold = found.get();
      if (!yes && !isConfirmed(hold)) {
        return tell(hold, false, "Nothing was taken.");
      }
      List<HoldInfo> victims = HoldTable.holders(hold).filter(this::isMeant).toList();
      boolean taken = victims.isEmpty()
          ? backend.forceRelease(lock.name(), Objects.requireNonNull(token))
          : take(backend, victims);
      return tell(hold, taken, taken ? taken(victims) : notTaken());
    }
  }

  /** Each by its own token, so that nobody is robbed who was not seen. */
  private boolean take(LockBackend backend, List<HoldInfo> victims) {
    boolean taken = false;
    for (HoldInfo victim : victims) {
      taken |= backend.forceRelease(lock.name(), victim.fencingToken());
    }
    return taken;
  }

  private boolean isMeant(HoldInfo holder) {
    return token == null || holder.fencingToken() == token;
  }

  private String taken(List<HoldInfo> victims) {
    String owners = victims.stream()
        .map(victim -> Printable.of(victim.owner()))
        .collect(Collectors.joining(", "));
    return "Lock " + lock.quoted() + " was taken from "
        + (owners.isEmpty() ? "the hold with token " + token : owners) + ".";
  }

  private String notTaken() {
    return "Nothing was taken: the holder of lock " + lock.quoted()
        + " is another one by now, or it is free.";
  }

  private boolean isConfirmed(HoldInfo hold) throws IOException {
    PrintWriter err = output.err();
    err.println(HoldTable.of(List.of(hold)));
    if (HoldTable.holders(hold).noneMatch(this::isMeant)) {
      err.println("Its token is not " + token + ", unless its client passed the lock on.");
    }
    err.println("The holder may be at work. Whoever gets the lock next works beside it.");
    err.print("Take lock " + lock.quoted() + " away? Type yes: ");
    err.flush();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    String answer = in.readLine();
    return answer != null && answer.strip().equals(YES);
  }

  private int tell(@Nullable HoldInfo hold, boolean taken, String sentence) {
    output.print(output.isJson() ? HoldJson.forced(hold, taken) : sentence);
    return taken ? ExitCode.OK : Operators.NOT_HELD;
  }
}
