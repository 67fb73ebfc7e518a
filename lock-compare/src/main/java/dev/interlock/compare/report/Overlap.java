package dev.interlock.compare.report;

import dev.interlock.tck.Evidence;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.SavedHistory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Holds that cannot both be right, for a drawing on one axis of time. Immutable.
 *
 * @param name the lock
 * @param bars one for each hold, the earliest first
 */
public record Overlap(String name, List<Bar> bars) {
  /** How many characters the axis has in a text. */
  private static final int WIDTH = 60;

  /** Copies the list. */
  public Overlap {
    bars = List.copyOf(bars);
  }

  /**
   * One hold.
   *
   * @param owner whose
   * @param token the fencing token; 0 where there is none
   * @param fromMillis in milliseconds since the first hold began
   * @param untilMillis when its holder had to stop relying on it, in the same
   * @param released whether it ended by a call of release, rather than by the end of its lease
   */
  public record Bar(
      String owner, long token, double fromMillis, double untilMillis, boolean released) {

    /** Who it is, and how it ended. */
    String label() {
      return String.format(
          Locale.ROOT,
          "%s%s: %.3f to %.3f ms, %s",
          owner,
          token == 0 ? "" : " with token " + token,
          fromMillis,
          untilMillis,
          released ? "then it called release" : "then its lease was over");
    }
  }

  /** Reads them from the saved histories of rules that do not pass; by rule. */
  public static Map<String, Overlap> of(List<RuleResult> rules) {
    Map<String, Overlap> found = new LinkedHashMap<>();
    for (RuleResult rule : rules) {
      if (Verdicts.needsAttention(rule.verdict())) {
        of(rule.evidence()).ifPresent(overlap -> found.put(rule.id(), overlap));
      }
    }
    return found;
  }

  private static Optional<Overlap> of(Evidence evidence) {
    if (evidence.saved().isEmpty()) {
      return Optional.empty();
    }
    try {
      List<SavedHistory.Span> spans = SavedHistory.read(evidence.saved().get()).violation();
      return spans.isEmpty() ? Optional.empty() : Optional.of(ofSpans(spans));
    } catch (IOException e) {
      // The words are in the report all the same.
      return Optional.empty();
    }
  }

  private static Overlap ofSpans(List<SavedHistory.Span> spans) {
    List<Bar> bars = new ArrayList<>();
    for (SavedHistory.Span span : spans) {
      bars.add(new Bar(
          span.owner(),
          span.token(),
          span.from().toNanos() / 1e6,
          span.until().toNanos() / 1e6,
          span.released()));
    }
    return new Overlap(spans.get(0).name(), bars);
  }

  /** When all of them are held. */
  private double from() {
    return bars.stream().mapToDouble(Bar::fromMillis).max().orElse(0);
  }

  private double until() {
    return bars.stream().mapToDouble(Bar::untilMillis).min().orElse(0);
  }

  private double end() {
    return bars.stream().mapToDouble(Bar::untilMillis).max().orElse(0);
  }

  /** Whether they are held at once: tokens can be out of order without that. */
  boolean isAtOnce() {
    return until() > from();
  }

  /** What is to be seen. */
  String title() {
    return isAtOnce()
        ? String.format(
            Locale.ROOT,
            "\"%s\" is held by %d at once from %.3f to %.3f ms",
            name,
            bars.size(),
            from(),
            until())
        : "\"" + name + "\", one hold after the other";
  }

  /** Where a bar begins, in percent of the axis. */
  double left(Bar bar) {
    return percent(bar.fromMillis());
  }

  /** How long a bar is, in percent of the axis. */
  double width(Bar bar) {
    return Math.max(0.5, percent(bar.untilMillis()) - percent(bar.fromMillis()));
  }

  double leftOfBoth() {
    return percent(from());
  }

  double widthOfBoth() {
    return Math.max(0.5, percent(until()) - percent(from()));
  }

  private double percent(double at) {
    double percent = end() == 0 ? 0 : 100 * at / end();
    return Math.round(percent * 100) / 100.0;
  }

  /** A drawing in ASCII: a line for each hold, and one that shows where they meet. */
  List<String> drawing() {
    List<String> lines = new ArrayList<>();
    lines.add(title());
    for (Bar bar : bars) {
      lines.add(line(bar.fromMillis(), bar.untilMillis(), '=') + "  " + bar.label());
    }
    if (isAtOnce()) {
      lines.add(line(from(), until(), '!') + "  at once");
    }
    return lines;
  }

  private String line(double from, double until, char mark) {
    int start = Math.min(WIDTH - 1, (int) (percent(from) * WIDTH / 100));
    int end = Math.max(start + 1, (int) Math.round(percent(until) * WIDTH / 100));
    return "|" + " ".repeat(start) + String.valueOf(mark).repeat(end - start)
        + " ".repeat(WIDTH - end) + "|";
  }
}
