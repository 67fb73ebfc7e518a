package dev.interlock.compare.report;

import dev.interlock.compare.cli.Versions;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.figures.Curve;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measure;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckScales;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report for programs. Fields are added here, never renamed or removed. */
final class ReportJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  record Root(
      String version,
      String created,
      String effort,
      long seed,
      double seconds,
      Environment environment,
      List<MeasureInfo> measures,
      List<MeasureInfo> happenings,
      List<Provider> providers,
      List<Provider> floors,
      @Nullable Changes changes) {}

  /**
   * Where and how it was made.
   *
   * @param compiler how the JVM was told to compile; empty if it was not, null in older reports
   * @param loadBefore the load average before the run; null where the system does not tell
   * @param loadAfter the same at its end
   * @param inOneJvm whether clients stood for JVMs; null in older reports
   * @param waivers the rules set aside, and why; null in older reports
   */
  record Environment(
      String jdk,
      @Nullable String compiler,
      String system,
      int processors,
      @Nullable Double loadBefore,
      @Nullable Double loadAfter,
      String command,
      double timeScale,
      @Nullable Boolean inOneJvm,
      @Nullable Map<String, String> waivers) {}

  record MeasureInfo(String key, String title, String method) {}

  /**
   * One of ours, or a peer.
   *
   * @param measuresHung those in which threads waited without end; null in older reports
   */
  record Provider(
      String id,
      boolean peer,
      String version,
      String server,
      String serverFrom,
      List<String> capabilities,
      @Nullable String level,
      @Nullable String error,
      List<Rule> rules,
      Map<String, @Nullable Double> measures,
      Map<String, String> measureNotes,
      List<String> measuresFailed,
      @Nullable List<String> measuresHung,
      Map<String, List<Figures.Point>> curves,
      Map<String, Seen> facts,
      @Nullable Scales scales,
      @Nullable String levelStop) {}

  record Scales(double lengths, double limits, double roundTripMillis, long granularityMillis) {
    static Scales of(TckScales scales) {
      return new Scales(
          scales.lengths(),
          scales.limits(),
          scales.roundTrip().toNanos() / 1e6,
          scales.leaseGranularity().toMillis());
    }
  }

  record Seen(
      String words,
      Map<String, Double> figures,
      boolean failed,
      @Nullable String again) {}

  /**
   * A rule of one provider.
   *
   * @param verdict as the report's other forms show it
   * @param warning whether that is WARNING
   * @param found what the kit found, before a warning was made of it; null in older reports, where
   *     the verdict is that
   */
  record Rule(
      String id,
      String title,
      String level,
      String verdict,
      Proof evidence,
      boolean warning,
      @Nullable String found) {}

  record Proof(
      String message,
      long operations,
      long seed,
      double seconds,
      List<String> faults,
      List<String> history,
      @Nullable String historyFile,
      @Nullable Overlap overlap,
      String again) {}

  private ReportJson() {}

  static String of(Report report) {
    return MAPPER.writeValueAsString(new Root(
        Versions.product(),
        report.created().toString(),
        report.effort().name(),
        report.seed(),
        report.took().toMillis() / 1e3,
        environment(report.circumstances()),
        List.of(Measure.values()).stream()
            .map(measure -> new MeasureInfo(measure.key(), measure.title(), measure.method()))
            .toList(),
        report.happenings().stream()
            .map(one -> new MeasureInfo(one.key(), one.title(), one.method()))
            .toList(),
        report.providers().stream().map(one -> provider(report, one)).toList(),
        report.floors().stream().map(one -> provider(report, one)).toList(),
        report.changes().orElse(null)));
  }

  private static Environment environment(Circumstances known) {
    boolean isLoadKnown = known.loadBefore() >= 0;
    return new Environment(
        known.jdk(),
        known.compiler(),
        known.system(),
        known.processors(),
        isLoadKnown ? known.loadBefore() : null,
        isLoadKnown ? known.loadAfter() : null,
        known.command(),
        known.timeScale(),
        known.inOneJvm(),
        known.waivers());
  }

  /** In one line, for the page. */
  static String compact(Object value) {
    return JsonMapper.shared().writeValueAsString(value);
  }

  private static Provider provider(Report all, ProviderReport report) {
    Map<String, @Nullable Double> measures = new LinkedHashMap<>();
    Map<String, String> notes = new LinkedHashMap<>();
    List<String> failed = new ArrayList<>();
    List<String> hung = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      report.figures().find(measure).ifPresent(figure -> {
        measures.put(measure.key(), figure.value());
        if (figure.failed()) {
          failed.add(measure.key());
        }
        if (figure.hangs()) {
          hung.add(measure.key());
        }
        if (!figure.note().isEmpty()) {
          notes.put(measure.key(), figure.note());
        }
      });
    }
    Map<String, List<Figures.Point>> curves = new LinkedHashMap<>();
    for (Curve curve : Curve.values()) {
      if (!report.figures().curve(curve).isEmpty()) {
        curves.put(curve.key(), report.figures().curve(curve));
      }
    }
    return new Provider(
        report.id(),
        report.isPeer(),
        report.version(),
        report.server(),
        report.origin(),
        report.sortedCapabilities().stream().map(Enum::name).toList(),
        report.level().map(Enum::name).orElse(null),
        report.error().isEmpty() ? null : report.error(),
        report.rules().stream().map(rule -> rule(all, report, rule)).toList(),
        measures,
        notes,
        failed,
        hung,
        curves,
        facts(all, report),
        report.scales().map(Scales::of).orElse(null),
        report.levelStop().isEmpty() ? null : report.levelStop());
  }

  private static Map<String, Seen> facts(Report all, ProviderReport report) {
    Map<String, Seen> facts = new LinkedHashMap<>();
    for (Fact fact : report.facts()) {
      String again = all.again().fact(report, fact.happening());
      facts.put(
          fact.happening().key(), new Seen(fact.words(), fact.figures(), fact.failed(), again));
    }
    return facts;
  }

  private static Rule rule(Report all, ProviderReport provider, RuleResult result) {
    Evidence evidence = result.evidence();
    return new Rule(
        result.id(),
        result.title(),
        result.level().name(),
        verdict(result),
        new Proof(
            evidence.message(),
            evidence.operations(),
            evidence.seed(),
            evidence.took().toMillis() / 1e3,
            evidence.faults(),
            evidence.history(),
            Report.historyFile(result).orElse(null),
            provider.overlap(result.id()).orElse(null),
            all.again().cell(provider, result.id())),
        result.isWarning(),
        result.verdict().name());
  }

  /** The verdict, or that there is no more than a warning. */
  static String verdict(RuleResult result) {
    return result.isWarning() ? ProviderReport.WARNING : result.verdict().name();
  }
}
