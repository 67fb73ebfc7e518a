package dev.interlock.compare;

import dev.interlock.Capability;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the page shows beside the report's own words.
 *
 * @param report what it is about
 */
record PageView(Report report) {
  private static final double BAR_WIDTH = 100;

  /**
   * A bar of a chart.
   *
   * @param provider whose figure it is
   * @param label which figure
   * @param text the figure
   * @param percent how long the bar is
   */
  record Bar(String provider, String label, String text, String percent) {}

  /**
   * A chart.
   *
   * @param title what it shows
   * @param hint which way is better
   * @param bars its bars
   */
  record Chart(String title, String hint, List<Bar> bars) {}

  List<Chart> charts() {
    return List.of(
        new Chart(
            "Hand-off between two clients, microseconds",
            "shorter is better",
            bars(List.of(Measure.HAND_OFF_P50, Measure.HAND_OFF_P99), List.of("p50", "p99"))),
        new Chart(
            "Sections a second on one lock",
            "longer is better",
            bars(
                List.of(Measure.SECTIONS_1, Measure.SECTIONS_4, Measure.SECTIONS_16),
                List.of("1 thread", "4 threads", "16 threads"))));
  }

  /** Lengths are by square root: the in-JVM provider is a hundred times faster than a network. */
  private List<Bar> bars(List<Measure> measures, List<String> labels) {
    double largest = report.providers().stream()
        .flatMap(one -> measures.stream().map(one.figures()::orZero))
        .reduce(1.0, Math::max);
    List<Bar> bars = new ArrayList<>();
    for (ProviderReport provider : report.providers()) {
      for (int i = 0; i < measures.size(); i++) {
        double share = Math.sqrt(provider.figures().orZero(measures.get(i)) / largest);
        bars.add(new Bar(
            provider.id(),
            labels.get(i),
            provider.figures().text(measures.get(i)),
            String.format(Locale.ROOT, "%.1f", share * BAR_WIDTH)));
      }
    }
    return bars;
  }

  List<Capability> capabilities() {
    return List.of(Capability.values());
  }

  Optional<RuleResult> result(ProviderReport provider, RuleInfo rule) {
    return provider.rules().stream().filter(one -> one.id().equals(rule.id())).findFirst();
  }

  /** SPEC.md's text without its Markdown. */
  String plain(String markdown) {
    return markdown.replace("`", "").replace("**", "");
  }

  String note(ProviderReport provider, Measure measure) {
    return provider.figures().find(measure).map(Figures.Figure::note).orElse("");
  }

  String seconds(RuleResult result) {
    return String.format(Locale.ROOT, "%.1f", result.evidence().took().toMillis() / 1e3);
  }

  String operations(RuleResult result) {
    return String.format(Locale.ROOT, "%,d", result.evidence().operations());
  }
}
