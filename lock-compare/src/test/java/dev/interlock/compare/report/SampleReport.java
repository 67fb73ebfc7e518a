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
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A report with everything in it that the page can show. None of its figures was measured. */
final class SampleReport {
  static final String HISTORY = "A held it from 10.2 ms to 41.9 ms <token 7>";
  static final String HISTORY_FILE = "redis-hash-X1-42.tsv";

  static final String FACT = "The next waiter has the lock after ";

  static final Circumstances MACHINE = new Circumstances(
      Circumstances.COMPARE,
      1,
      "17.0.15",
      "-XX:TieredStopAtLevel=1",
      "Linux amd64",
      2,
      0.4,
      2.9,
      false,
      Map.of("W1", "ACME-1: <later>"));

  /** As a history shows it: the second began before the first had ended. */
  static final Overlap OVERLAP = new Overlap(
      "x1-lock",
      List.of(
          new Overlap.Bar("client A", 7, 0, 31.7, true),
          new Overlap.Bar("client B", 8, 29.9, 44.8, false)));

  private SampleReport() {}

  static Report create() {
    Set<Capability> few = Set.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
    List<ProviderReport> providers = List.of(
        provider("local", "JVM 17.0.15", Set.of(Capability.values()), Map.of(), 3),
        provider("redis-setnx", "Redis 7.0.15", few, Map.of("W1", Verdict.WAIVED), 190),
        provider(
            "redis-hash",
            "Redis 7.0.15",
            Set.of(Capability.values()),
            Map.of("X1", Verdict.FAIL, "M3", Verdict.INCONCLUSIVE),
            240),
        provider("mysql", "MariaDB 11.4.5", Set.of(Capability.FENCED), Map.of(), 1900),
        new ProviderReport(
            "unreachable",
            "0.1.0",
            "none",
            "none",
            few,
            List.of(),
            new Figures(),
            "The server at 127.0.0.1:6379 refused the connection."));
    Changes changes = new Changes(
        "2026-11-20T08:00:00Z",
        List.of(new Changes.Change("redis-hash", "X1 holds never overlap", "PASS", "FAIL")),
        List.of(new Changes.Change("mysql", "Hand-off p50 (µs)", "2,100", "1,900 (-10 %)")));
    return new Report(
        Instant.parse("2026-11-21T12:00:00Z"),
        Effort.STANDARD,
        42,
        Duration.ofSeconds(421),
        MACHINE,
        providers,
        List.of(),
        Optional.of(changes));
  }

  /** The same with peers and floors: as many columns as there are with all of them. */
  static Report wide() {
    Report few = create();
    List<ProviderReport> providers = new ArrayList<>(few.providers());
    providers.add(
        provider("postgres", "PostgreSQL 18.1", Set.of(Capability.FENCED), Map.of(), 900));
    Set<Capability> some = Set.of(Capability.RENEWABLE, Capability.PUSH);
    Map<String, Verdict> wrong = Map.of(
        "L4", Verdict.FAIL, "W2", Verdict.FAIL, "W9", Verdict.FAIL, "M4", Verdict.INCONCLUSIVE);
    for (String peer :
        List.of("redisson", "redisson-fair", "redisson-fenced", "spring-redis", "spring-jdbc")) {
      ProviderReport added = provider(peer, "Redis 7.0.15", some, wrong, 700).ofPeer(true);
      providers.add(peer.equals("redisson") ? added.withFigures(hanging(700)) : added);
    }
    List<ProviderReport> floors = List.of(
        ProviderReport.ofFloor("raw-redis", figures(150)),
        ProviderReport.ofFloor("raw-mysql", figures(1500)),
        ProviderReport.ofFloor("raw-postgres", figures(800)));
    return new Report(
        few.created(),
        few.effort(),
        few.seed(),
        few.took(),
        few.circumstances(),
        providers,
        floors,
        few.changes());
  }

  private static ProviderReport provider(
      String id,
      String server,
      Set<Capability> capabilities,
      Map<String, Verdict> exceptions,
      double micros) {
    List<RuleResult> results = Rules.all().stream()
        .filter(RuleInfo::isTested)
        .map(rule -> result(rule, capabilities, exceptions))
        .toList();
    return new ProviderReport(
            id, "0.1.0", server, "PATH", capabilities, results, figures(micros), "")
        .withFacts(facts(micros))
        .withOverlaps(exceptions.get("X1") == Verdict.FAIL ? Map.of("X1", OVERLAP) : Map.of());
  }

  /** One of each kind: seen, without a meaning, failed. */
  private static List<Fact> facts(double micros) {
    List<Fact> facts = new ArrayList<>();
    for (Happening happening : Happening.values()) {
      facts.add(
          switch (happening) {
            case HOLDER_PAUSED -> new Fact(happening, "n/a: there is no server", Map.of(), false);
            case REPLY_LOST -> Fact.failed(happening, "no luck");
            default ->
              new Fact(
                  happening,
                  FACT + micros + " ms, and another <client> keeps it.",
                  Map.of("millis", micros),
                  false);
          });
    }
    return facts;
  }

  private static RuleResult result(
      RuleInfo rule, Set<Capability> capabilities, Map<String, Verdict> exceptions) {
    boolean claimed = rule.capability().map(capabilities::contains).orElse(true);
    Verdict usual = claimed ? Verdict.PASS : Verdict.NOT_CLAIMED;
    Verdict verdict = exceptions.getOrDefault(rule.id(), usual);
    boolean failed = verdict == Verdict.FAIL;
    Evidence evidence = new Evidence(
        12_345,
        42,
        Duration.ofMillis(2300),
        rule.level().compareTo(Level.L2) >= 0 ? List.of("kill -9 of a worker JVM") : List.of(),
        failed
            ? "expected: no two owners hold it at once\nhappened: B acquired while A held it\n"
                + "to check: that the compare and the set are one step on the server"
            : "3 JVMs, 2,400 holds in a row",
        failed ? List.of(HISTORY, "B held it from 40.1 ms to 55.0 ms <token 8>") : List.of(),
        failed ? Optional.of(Path.of("histories", HISTORY_FILE)) : Optional.empty());
    return new RuleResult(rule.id(), rule.title(), rule.level(), verdict, evidence);
  }

  private static Figures hanging(double micros) {
    Figures figures = figures(micros);
    figures.hangs("3 of 32 threads still waited", Measure.SECTIONS_READ_WRITE);
    return figures;
  }

  private static Figures figures(double micros) {
    Figures figures = new Figures();
    for (Measure measure : Measure.values()) {
      figures.put(measure, measure == Measure.JAIN ? 0.998 : micros, "a note");
    }
    List<Figures.Point> sections = new ArrayList<>();
    List<Figures.Point> recovery = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      sections.add(new Figures.Point(Integer.toString(1 << i), 1e6 / micros * (1 + i * 0.4)));
      recovery.add(new Figures.Point("round " + (i + 1), micros / 40 + i));
    }
    List<Figures.Point> handOff = new ArrayList<>();
    for (String at : List.of("min", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max")) {
      handOff.add(new Figures.Point(at, micros * (0.7 + 0.05 * handOff.size())));
    }
    figures.put(Curve.HAND_OFF, handOff);
    figures.put(Curve.SECTIONS, sections);
    figures.put(Curve.RECOVERY, recovery);
    return figures;
  }
}
