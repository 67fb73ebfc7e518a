package dev.interlock.compare.report;

import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measure;
import dev.interlock.tck.RuleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What is not as it was in an earlier report.
 *
 * @param since when that was made
 * @param verdicts rules whose verdict differs, and providers that came or went
 * @param measures figures that differ by a tenth or more
 */
public record Changes(String since, List<Change> verdicts, List<Change> measures) {
  /** Figures vary that much from run to run without any change. */
  private static final double NOISE = 0.10;

  /**
   * One difference.
   *
   * @param provider whose
   * @param what a rule or a measure
   * @param before as it was, "-" if it was not there
   * @param now as it is, "-" if it is not there
   */
  record Change(String provider, String what, String before, String now) {}

  public List<Change> all() {
    List<Change> all = new ArrayList<>(verdicts);
    all.addAll(measures);
    return all;
  }

  public static Changes between(Baseline before, List<ProviderReport> now) {
    List<Change> verdicts = new ArrayList<>();
    List<Change> measures = new ArrayList<>();
    for (ProviderReport provider : now) {
      Baseline.Provider old = before.find(provider.id());
      if (old == null) {
        verdicts.add(new Change(provider.id(), "the provider", "-", provider.summary()));
        continue;
      }
      verdicts(old, provider, verdicts);
      measures(old, provider, measures);
    }
    return new Changes(before.created(), verdicts, measures);
  }

  private static void verdicts(Baseline.Provider before, ProviderReport now, List<Change> changes) {
    for (RuleResult rule : now.rules()) {
      String was = before.verdicts().getOrDefault(rule.id(), ProviderReport.NOT_RUN);
      String is = ReportJson.verdict(rule);
      if (!was.equals(is)) {
        changes.add(new Change(now.id(), rule.id() + " " + rule.title(), was, is));
      }
    }
    before.verdicts().forEach((rule, verdict) -> {
      if (now.result(rule).isEmpty()) {
        changes.add(new Change(now.id(), rule, verdict, ProviderReport.NOT_RUN));
      }
    });
  }

  private static void measures(Baseline.Provider before, ProviderReport now, List<Change> changes) {
    for (Measure measure : Measure.values()) {
      Double was = before.measures().get(measure.key());
      Double is = now.figures().find(measure).map(Figures.Figure::value).orElse(null);
      if (was == null || is == null) {
        if (was != null) {
          changes.add(new Change(
              now.id(), measure.title(), Figures.text(measure, was), ProviderReport.NOT_RUN));
        }
        continue;
      }
      double more = was == 0 ? (is == 0 ? 0 : 1) : (is - was) / Math.abs(was);
      if (Math.abs(more) >= NOISE) {
        changes.add(new Change(
            now.id(),
            measure.title(),
            Figures.text(measure, was),
            Figures.text(measure, is) + String.format(Locale.ROOT, " (%+.0f %%)", more * 100)));
      }
    }
  }
}
