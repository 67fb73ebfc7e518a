package dev.interlock.cli;

import dev.interlock.HoldInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;

/**
 * One screen of {@code watch}.
 *
 * @param terminal whether each screen takes the place of the one before
 * @param server its product and version
 * @param rows how many locks are shown
 */
record WatchView(boolean terminal, String server, int rows) {
  private static final String CLEARED = "\033[H\033[J";

  private static final Comparator<HoldInfo> MOST_WAITERS_FIRST = Comparator.comparingInt(
          HoldInfo::waiters)
      .reversed()
      .thenComparing(HoldInfo::since)
      .thenComparing(HoldInfo::name);

  String of(HeldLocks held, Instant now) {
    List<HoldInfo> all = held.locks();
    long number = all.stream().mapToLong(HoldInfo::waiters).sum();
    String known = held.more() ? "at least " : "";
    String head =
        "%s: %s%d held, %s%d waiting".formatted(title(now), known, all.size(), known, number);
    if (all.isEmpty()) {
      return screen(head);
    }
    List<HoldInfo> shown = all.stream().sorted(MOST_WAITERS_FIRST).limit(rows).toList();
    String rest = shown.size() < all.size() ? ", the first " + shown.size() : "";
    String text = head + rest + System.lineSeparator() + HoldTable.of(shown);
    String waiting = held.queue() == null ? "" : WaiterTable.of(all.get(0), held.queue());
    return screen(waiting.isEmpty() ? text : text + System.lineSeparator().repeat(2) + waiting);
  }

  String fault(String message, Instant now) {
    return screen(title(now) + ": " + message);
  }

  private String title(Instant now) {
    return now.truncatedTo(ChronoUnit.SECONDS) + "  " + Printable.of(server);
  }

  private String screen(String text) {
    return terminal ? CLEARED + text : text + System.lineSeparator();
  }
}
