package dev.interlock.compare.report;

import dev.interlock.Capability;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.figures.Curve;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measure;
import dev.interlock.tck.Effort;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a {@code report.json} of this version, so that its other forms can be made again. */
public final class ReportReader {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private ReportReader() {}

  /**
   * Reads a report.
   *
   * @throws IOException if the file cannot be read, or is something else; its message says which
   */
  public static Report read(Path file) throws IOException {
    JsonNode root = SavedJson.read(file);
    try {
      ReportJson.Root read = MAPPER.treeToValue(root, ReportJson.Root.class);
      Whole.require(read);
      return report(read);
    } catch (JacksonException
        | IllegalArgumentException
        | DateTimeException
        | ArithmeticException e) {
      throw new IOException("it is a report of another build of Interlock, or damaged", e);
    }
  }

  private static Report report(ReportJson.Root root) {
    ReportJson.Environment environment = root.environment();
    Circumstances circumstances = new Circumstances(
        environment.command(),
        environment.timeScale(),
        environment.jdk(),
        Optional.ofNullable(environment.compiler()).orElse(""),
        environment.system(),
        environment.processors(),
        Optional.ofNullable(environment.loadBefore()).orElse(-1.0),
        Optional.ofNullable(environment.loadAfter()).orElse(-1.0),
        Boolean.TRUE.equals(environment.inOneJvm()),
        Optional.ofNullable(environment.waivers()).orElse(Map.of()));
    return new Report(
        Instant.parse(root.created()),
        Effort.valueOf(root.effort()),
        root.seed(),
        Duration.ofMillis(Math.round(root.seconds() * 1e3)),
        circumstances,
        root.providers().stream().map(ReportReader::provider).toList(),
        root.floors().stream().map(ReportReader::provider).toList(),
        Optional.ofNullable(root.changes()));
  }

  private static ProviderReport provider(ReportJson.Provider json) {
    Set<Capability> capabilities =
        json.capabilities().stream().map(Capability::valueOf).collect(Collectors.toSet());
    Map<String, Overlap> overlaps = new LinkedHashMap<>();
    for (ReportJson.Rule rule : json.rules()) {
      Optional.ofNullable(rule.evidence().overlap())
          .ifPresent(overlap -> overlaps.put(rule.id(), overlap));
    }
    return new ProviderReport(
        json.id(),
        json.version(),
        json.server(),
        json.serverFrom(),
        capabilities,
        json.rules().stream().map(ReportReader::rule).toList(),
        figures(json),
        Optional.ofNullable(json.error()).orElse(""),
        json.peer(),
        facts(json),
        overlaps,
        Optional.ofNullable(json.scales()).map(ReportReader::scales));
  }

  private static TckScales scales(ReportJson.Scales json) {
    return new TckScales(
        json.lengths(),
        json.limits(),
        Duration.ofNanos(Math.round(json.roundTripMillis() * 1e6)),
        Duration.ofMillis(json.granularityMillis()));
  }

  private static RuleResult rule(ReportJson.Rule json) {
    ReportJson.Proof proof = json.evidence();
    // In an older report the verdict is what was found, and the warning stands beside it.
    String found = json.found() == null ? json.verdict() : json.found();
    Verdict verdict = Verdict.valueOf(found);
    Evidence evidence = new Evidence(
        proof.operations(),
        proof.seed(),
        Duration.ofMillis(Math.round(proof.seconds() * 1e3)),
        proof.faults(),
        proof.message(),
        proof.history(),
        Optional.ofNullable(proof.historyFile()).map(Path::of),
        // Nothing else keeps what a SHOULD rule finds from being a warning.
        Verdicts.needsAttention(verdict) && !json.warning());
    return new RuleResult(json.id(), json.title(), Level.valueOf(json.level()), verdict, evidence);
  }

  private static Figures figures(ReportJson.Provider json) {
    Figures figures = new Figures();
    // An older report has no such list.
    List<String> hung = json.measuresHung() == null ? List.of() : json.measuresHung();
    for (Measure measure : Measure.values()) {
      String note = json.measureNotes().getOrDefault(measure.key(), "");
      Double value = json.measures().get(measure.key());
      if (value != null) {
        figures.put(measure, value, note);
      } else if (json.measuresFailed().contains(measure.key())) {
        figures.failed(note, List.of(measure));
      } else if (hung.contains(measure.key())) {
        figures.hangs(note, measure);
      } else if (json.measures().containsKey(measure.key())) {
        figures.none(note, measure);
      }
    }
    for (Curve curve : Curve.values()) {
      Optional.ofNullable(json.curves().get(curve.key()))
          .ifPresent(points -> figures.put(curve, points));
    }
    return figures;
  }

  private static List<Fact> facts(ReportJson.Provider json) {
    List<Fact> facts = new ArrayList<>();
    for (Happening happening : Happening.values()) {
      Stream.ofNullable(json.facts().get(happening.key()))
          .map(seen -> new Fact(happening, seen.words(), seen.figures(), seen.failed()))
          .forEach(facts::add);
    }
    return facts;
  }
}
