package dev.interlock.compare;

import dev.interlock.Capability;
import dev.interlock.ProviderInfo;
import dev.interlock.compare.tck.KitSettings;
import dev.interlock.compare.tck.RuleRunner;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckProgress;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gives the verdicts that a test wants to see. */
record FakeKit(Map<String, Verdict> verdicts) implements RuleRunner {
  static final String MESSAGE = "expected: <one> holder & no \"more\"\nhappened: | two |";

  static FakeKit of(String rule, Verdict verdict) {
    return new FakeKit(Map.of("X1", Verdict.PASS, rule, verdict));
  }

  @Override
  public TckResult run(TckBackend backend, KitSettings settings, TckProgress progress) {
    List<RuleResult> results = new ArrayList<>();
    verdicts.forEach((id, verdict) -> results.add(result(id, verdict, settings)));
    results.forEach(progress::finished);
    return new TckResult(
        new ProviderInfo("local", "1.2.3", Set.of(Capability.FENCED), "here"),
        "Server 4.5",
        Set.of(Capability.FENCED),
        results,
        settings.seed(),
        Duration.ofSeconds(3),
        TckScales.of(1, Duration.ofMillis(50), Duration.ofSeconds(1)));
  }

  private static RuleResult result(String id, Verdict verdict, KitSettings settings) {
    Evidence evidence = new Evidence(
        1234,
        settings.seed(),
        Duration.ofMillis(1500),
        List.of("kill -9 of a worker"),
        MESSAGE,
        List.of("A holds 1", "B holds 1"),
        verdict == Verdict.FAIL
            ? Optional.of(settings.histories().resolve("local-" + id + ".tsv"))
            : Optional.empty());
    String title = Rules.find(id).map(RuleInfo::title).orElse("a rule");
    return new RuleResult(id, title, Level.L1, verdict, evidence);
  }
}
