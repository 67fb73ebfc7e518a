package dev.interlock.compare.report;

import dev.interlock.Capability;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.figures.Curve;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measure;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Verdict;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the page shows beside the report's own words.
 *
 * @param report what it is about
 */
record PageView(Report report) {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMMM uuuu, HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** How many page.css has. */
  private static final int COLOURS = 14;

  /** How many fit with whole words beside what their rows are about. */
  private static final int FEW_COLUMNS = 6;

  /** The order in which people look for them. */
  private static final List<Verdict> VERDICTS = List.of(
      Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.WAIVED, Verdict.NOT_CLAIMED);

  /** How many rules have a verdict. */
  record Count(long number, String text, String css) {}

  /** The rules under one heading of SPEC.md. */
  record Group(String name, List<Report.Row> rows) {}

  /** A piece of SPEC.md's text, which is code or not. */
  record Prose(String text, boolean code) {}

  /** A chart as the page's script reads it; the place for it has the same id. */
  record Chart(
      String id,
      String title,
      String hint,
      String type,
      String unit,
      String across,
      boolean logarithmic,
      List<String> labels,
      List<Series> series) {}

  /** One provider's part of a chart. */
  record Series(String provider, int colour, List<Double> values) {}

  String title() {
    return report.providers().size() == 1
        ? report.providers().get(0).id() + ", judged by rules"
        : "Lock backends, side by side";
  }

  String created() {
    return DATE.format(report.created());
  }

  String effort() {
    return report.effort().name().toLowerCase(Locale.ROOT);
  }

  String took() {
    long seconds = report.took().toSeconds();
    return seconds < 60 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
  }

  /** The class of a table with so many columns that they have to be narrow. */
  String dense(List<ProviderReport> columns) {
    return columns.size() > FEW_COLUMNS ? " dense" : "";
  }

  /** Those that are judged by all rules; what peers do is no part of the totals. */
  private List<ProviderReport> providers() {
    return report.providers().stream().filter(provider -> !provider.isPeer()).toList();
  }

  boolean hasPeers() {
    return report.providers().stream().anyMatch(ProviderReport::isPeer);
  }

  List<Count> totals() {
    List<Count> counts = new ArrayList<>();
    for (Verdict verdict : VERDICTS) {
      long number =
          providers().stream().mapToLong(provider -> provider.count(verdict)).sum();
      if (number > 0 || verdict == Verdict.PASS || verdict == Verdict.FAIL) {
        counts.add(count(verdict, number));
      }
    }
    long warnings = providers().stream().mapToLong(ProviderReport::warnings).sum();
    if (warnings > 0) {
      counts.add(warnings(warnings));
    }
    return counts;
  }

  List<Count> counts(ProviderReport provider) {
    return Stream.concat(
            VERDICTS.stream().map(verdict -> count(verdict, provider.count(verdict))),
            Stream.of(warnings(provider.warnings())))
        .filter(count -> count.number() > 0)
        .toList();
  }

  private static Count warnings(long number) {
    return new Count(number, ProviderReport.WARNING, Verdicts.css(ProviderReport.WARNING));
  }

  private static Count count(Verdict verdict, long number) {
    String text = ProviderReport.text(verdict);
    // Red is for what is there: none failed is good news.
    boolean quiet = verdict == Verdict.FAIL && number == 0;
    return new Count(number, text, quiet ? "none" : Verdicts.css(text));
  }

  List<Group> groups() {
    Map<String, List<Report.Row>> groups = new LinkedHashMap<>();
    for (Report.Row row : report.rows()) {
      groups.computeIfAbsent(row.rule().group(), name -> new ArrayList<>()).add(row);
    }
    return groups.entrySet().stream()
        .map(group -> new Group(group.getKey(), group.getValue()))
        .toList();
  }

  /** The number of a provider's colour, the same everywhere on the page. */
  int colour(ProviderReport provider) {
    int own = report.providers().indexOf(provider);
    int place = own >= 0 ? own : report.providers().size() + report.floors().indexOf(provider);
    return place % COLOURS;
  }

  String level(ProviderReport provider) {
    return provider.level().map(Enum::name).orElse("–");
  }

  String levelHint(ProviderReport provider) {
    return provider.level().map(this::levelName).orElse(provider.levelText());
  }

  String levelName(Level level) {
    return switch (level) {
      case L0 -> "API";
      case L1 -> "nothing fails";
      case L2 -> "clients fail";
      case L3 -> "servers fail";
      case L4 -> "fenced register";
    };
  }

  List<Capability> capabilities() {
    return List.of(Capability.values());
  }

  List<Measure> keyMeasures() {
    return List.of(Measure.HAND_OFF_P50, Measure.SECTIONS_16, Measure.RECOVERY);
  }

  /** The address of what a verdict rests on. */
  String cellId(ProviderReport provider, RuleInfo rule) {
    return rule.id() + "-" + provider.id();
  }

  /** Tells code from text in SPEC.md's Markdown, which uses nothing else but stars. */
  List<Prose> prose(String markdown) {
    List<Prose> parts = new ArrayList<>();
    boolean code = false;
    for (String part : markdown.split("`", -1)) {
      parts.add(new Prose(part.replace("**", ""), code));
      code = !code;
    }
    return parts;
  }

  String note(ProviderReport provider, Measure measure) {
    return provider.figures().find(measure).map(Figures.Figure::note).orElse("");
  }

  /** The class of what happened: red for a fault, soft where there is nothing to see. */
  String factCss(Fact fact) {
    return fact.failed() ? "error" : fact.figures().isEmpty() ? "soft" : "";
  }

  String seconds(RuleResult result) {
    return String.format(Locale.ROOT, "%.1f", result.evidence().took().toMillis() / 1e3);
  }

  String operations(RuleResult result) {
    return String.format(Locale.ROOT, "%,d", result.evidence().operations());
  }

  boolean hasChanges() {
    return report.changes().isPresent();
  }

  List<Chart> charts() {
    return List.of(
        chart(Curve.HAND_OFF, "line", "µs", "percentile", true),
        chart(Curve.SECTIONS, "line", "sections/s", "threads that want the lock", true),
        chart(Curve.RECOVERY, "bar", "ms", "", false));
  }

  private Chart chart(Curve curve, String type, String unit, String across, boolean logarithmic) {
    List<String> labels = List.of();
    List<Series> series = new ArrayList<>();
    for (ProviderReport provider : report.measured()) {
      List<Figures.Point> points = provider.figures().curve(curve);
      if (points.size() > labels.size()) {
        labels = points.stream().map(Figures.Point::at).toList();
      }
      if (!points.isEmpty()) {
        List<Double> values = points.stream().map(Figures.Point::value).toList();
        series.add(new Series(provider.id(), colour(provider), values));
      }
    }
    return new Chart(
        "chart-" + curve.key(),
        curve.title(),
        curve.hint(),
        type,
        unit,
        across,
        logarithmic,
        labels,
        series);
  }

  /** The charts for the page's script; safe within a script element. */
  String data() {
    return ReportJson.compact(Map.of("charts", charts())).replace("<", "\\u003c");
  }
}
