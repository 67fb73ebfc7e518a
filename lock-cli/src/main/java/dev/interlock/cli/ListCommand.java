package dev.interlock.cli;

import dev.interlock.spi.LockBackend;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ls}. For one run, by one thread. */
@Command(
    name = "ls",
    description = "Lists the locks that are held, in the order of their names.",
    exitCodeList = {
      "0:listed, possibly nothing",
      "1:the server cannot be asked, or the output cannot be written",
      Operators.WRONG
    })
final class ListCommand implements Runnable {
  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "What the names begin with. Default: all names.",
      converter = LockName.Prefix.class)
  private String prefix = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many locks at the most. Default: ${DEFAULT-VALUE}.")
  private int limit = 10_000;

  @Mixin
  private final Output output = new Output();

  /** For picocli. */
  ListCommand() {}

  @Override
  public void run() {
    output.requirePositive("--limit", limit);
    try (LockBackend backend = target.open()) {
      Instant now = Instant.now();
      HeldLocks held = HeldLocks.list(backend, prefix, limit, HeldLocks.PAGE);
      output.print(output.isJson() ? HoldJson.of(held, now) : text(held));
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
}
