package dev.interlock.compare.demo;

import dev.interlock.compare.report.Verdicts;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Help.Ansi;

/** Prints the demo's events as they come, and judges them in the end. Thread-safe. */
final class DemoShow {
  private final PrintWriter out;
  private final Ansi ansi;
  private final long start = System.nanoTime();
  private final Map<String, Integer> holds = new TreeMap<>();
  private long lastToken = Long.MIN_VALUE;
  private long longestWait;
  private boolean grew = true;
  private boolean failed;
  private boolean over;

  DemoShow(PrintWriter out, Ansi ansi) {
    this.out = out;
    this.ansi = ansi;
  }

  synchronized void event(String who, DemoEvent event) {
    if (over) {
      return;
    }
    switch (event.kind()) {
      case WAITS -> line(who, "faint", "waits");
      case HOLDS -> {
        line(
            who,
            "bold,green",
            "HOLDS the lock, token %d, after a wait of %d ms"
                .formatted(event.token(), event.waitedNanos() / 1_000_000));
        judge(who, event);
      }
      case RELEASES -> line(who, "yellow", "releases token " + event.token());
    }
  }

  private void judge(String who, DemoEvent event) {
    holds.merge(who, 1, Integer::sum);
    longestWait = Math.max(longestWait, event.waitedNanos());
    if (event.token() <= lastToken) {
      grew = false;
      line(who, "bold,red", "has a token that is not larger than " + lastToken);
    }
    lastToken = event.token();
  }

  synchronized void failed(String who, String why) {
    failed = true;
    line(who, "bold,red", "cannot go on: " + why);
  }

  /** From here on the contenders only end. */
  synchronized void over(boolean early) {
    over = true;
    out.println(early ? "All have ended." : "The time is over.");
  }

  /**
   * Prints what it all came to.
   *
   * @return whether the tokens grew and nobody failed
   */
  synchronized boolean summary() {
    holds.forEach((who, count) -> out.printf("%s held the lock %d times.%n", who, count));
    out.printf("The longest wait was %d ms.%n", longestWait / 1_000_000);
    out.println(
        holds.isEmpty()
            ? "Nobody ever held the lock."
            : grew
                ? "The fencing tokens grew from hold to hold."
                : "The fencing tokens did NOT grow from hold to hold.");
    out.flush();
    return grew && !failed && !holds.isEmpty();
  }

  private void line(String who, String style, String text) {
    double seconds = (System.nanoTime() - start) / 1e9;
    out.println(String.format(Locale.ROOT, "%7.2f s  %-18s ", seconds, who)
        + Verdicts.style(ansi, style, text));
    out.flush();
  }
}
