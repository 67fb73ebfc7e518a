package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.spi.LockBackend;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** The command {@code inspect}. For one run, by one thread. */
@Command(
    name = "inspect",
    description = "Tells who holds a lock, and who waits for it, if the provider knows.",
    exitCodeList = {
      "0:it is held",
      "1:the server cannot be asked, or the output cannot be written",
      Operators.WRONG,
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
    LockQueue queue;
    String server;
    try (LockBackend backend = lock.target().open()) {
      server = backend.server();
      found = backend.inspect(lock.name());
      queue = LockQueue.read(backend, lock.name());
    }
    if (output.isJson()) {
      output.print(found.map(hold -> HoldJson.of(hold, queue)).orElse("null"));
    } else {
      output.print(found
          .map(hold -> describe(hold, queue, server))
          .orElseGet(() -> "Lock " + lock.quoted() + " is free."));
    }
    return found.isPresent() ? ExitCode.OK : Operators.NOT_HELD;
  }

  private static String describe(HoldInfo hold, LockQueue queue, String server) {
    String one = String.join(
        System.lineSeparator(),
        "lock     " + Printable.of(hold.name()),
        "owner    " + Printable.of(hold.owner()),
        "host     " + Printable.of(hold.host()),
        "since    " + HoldTable.since(hold.since()),
        "left     " + HoldTable.time(hold.remaining()),
        "token    " + HoldTable.token(hold.fencingToken()),
        "waiters  " + hold.waiters(),
        "share    " + HoldTable.share(hold.units(), hold.capacity()),
        "server   " + Printable.of(server));
    String others = hold.others().isEmpty()
        ? ""
        : "Held together with" + System.lineSeparator() + HoldTable.of(hold.others());
    return Stream.of(one, others, WaiterTable.of(hold, queue))
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining(System.lineSeparator().repeat(2)));
  }
}
