package dev.interlock.compare.report;

import dev.interlock.compare.facts.Fact;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckProgress;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;

/** Tells on the terminal what goes on, a line for each step. Thread-safe. */
public final class Progress implements TckProgress {
  private final PrintWriter out;
  private final Ansi ansi;
  private final String label;
  private final Runnable onOneByOne;

  public Progress(PrintWriter out, Ansi ansi) {
    this(out, ansi, "", () -> {});
  }

  private Progress(PrintWriter out, Ansi ansi, String label, Runnable onOneByOne) {
    this.out = out;
    this.ansi = ansi;
    this.label = label;
    this.onOneByOne = onOneByOne;
  }

  /**
   * Of one of several locks that are judged at the same time: each line says which.
   *
   * @param onOneByOne is run once only rules are left that run one after the other
   */
  public Progress of(String id, Runnable onOneByOne) {
    return new Progress(out, ansi, "%-12s ".formatted(id), onOneByOne);
  }

  public void rules() {
    line(Verdicts.style(ansi, "bold", "rules") + " (several locks side by side)");
  }

  public void figures(String id) {
    line(Verdicts.style(ansi, "bold", "figures") + " of " + id);
  }

  public void server(String origin) {
    line("  " + label + "server: " + origin);
  }

  @Override
  public void finished(RuleResult result) {
    Evidence evidence = result.evidence();
    String verdict = "%-12s".formatted(ProviderReport.text(result));
    line("  %s%s %-3s %6.1f s  %s"
        .formatted(
            label,
            Verdicts.paint(ansi, verdict),
            result.id(),
            evidence.took().toMillis() / 1e3,
            result.title())
        .formatted(Locale.ROOT));
    if (Verdicts.needsAttention(result.verdict())) {
      evidence.message().lines().forEach(text -> line("      " + text));
    }
  }

  @Override
  public void oneByOne() {
    onOneByOne.run();
  }

  public void measuring(String title) {
    line("  measuring " + title);
  }

  public void happenings() {
    line(Verdicts.style(ansi, "bold", "what happens when ...") + " (all providers side by side)");
  }

  public void happened(String provider, Fact fact, long nanos) {
    String mark = fact.failed() ? Verdicts.paint(ansi, "FAILED") + " " : "";
    line("  %-12s %5.1f s  %s: %s%s"
        .formatted(provider, nanos / 1e9, fact.happening().title(), mark, fact.words()));
  }

  public void failed(String what, String why) {
    line("  " + Verdicts.paint(ansi, "FAILED") + " " + what + ": " + why);
  }

  private void line(String text) {
    synchronized (out) {
      out.println(text);
      out.flush();
    }
  }
}
