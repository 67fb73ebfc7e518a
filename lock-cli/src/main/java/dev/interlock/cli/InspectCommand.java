package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.spi.LockBackend;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** The command {@code inspect}. For one run, by one thread. */
@Command(
    name = "inspect",
    description = "Tells who holds a lock.",
    exitCodeList = {
      "0:it is held",
      "1:the server cannot be asked",
      "2:wrong arguments",
      "3:it is free"
    })
final class InspectCommand implements Callable<Integer> {
  @Mixin
  private final NamedLock lock = new NamedLock();

  @Mixin
  private final Output output = new Output();

  /** For picocli. */
  InspectCommand() {}

  @Override
  public Integer call() {
    Optional<HoldInfo> found;
    String server;
    try (LockBackend backend = lock.target().open()) {
      server = backend.server();
      found = backend.inspect(lock.name());
    }
    if (output.isJson()) {
      output.print(found.map(HoldJson::of).orElse("null"));
    } else {
      output.print(found
          .map(hold -> describe(hold, server))
          .orElseGet(() -> "Lock " + lock.quoted() + " is free."));
    }
    return found.isPresent() ? ExitCode.OK : Operators.NOT_HELD;
  }

  private static String describe(HoldInfo hold, String server) {
    String one = String.join(
        System.lineSeparator(),
        "lock     " + Printable.of(hold.name()),
        "owner    " + Printable.of(hold.owner()),
        "host     " + Printable.of(hold.host()),
        "since    " + HoldTable.since(hold.since()),
        "left     " + HoldTable.time(hold.remaining()),
        "token    " + HoldTable.token(hold.fencingToken()),
        "waiters  " + hold.waiters(),
        "share    " + HoldTable.share(hold),
        "server   " + Printable.of(server));
    return hold.others().isEmpty()
        ? one
        : String.join(
            System.lineSeparator(), one, "", "Held together with", HoldTable.of(hold.others()));
  }
}
