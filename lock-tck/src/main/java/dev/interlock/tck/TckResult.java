package dev.interlock.tck;

import dev.interlock.Capability;
import dev.interlock.ProviderInfo;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The outcome of a run.
 *
 * @param provider which provider was checked
 * @param server which server it ran against
 * @param capabilities what the provider declares
 * @param rules one verdict for each rule that was run, in the order of SPEC.md
 * @param seed repeats the run's random choices
 * @param took how long the run lasted
 * @param scales how long its tests were, and how patient
 */
public record TckResult(
    ProviderInfo provider,
    String server,
    Set<Capability> capabilities,
    List<RuleResult> rules,
    long seed,
    Duration took,
    TckScales scales) {

  /** Copies the collections. */
  public TckResult {
    capabilities = Set.copyOf(capabilities);
    rules = List.copyOf(rules);
  }

  /**
   * Counts the verdicts.
   *
   * @return how often each occurred; verdicts that did not occur are there with 0
   */
  public Map<Verdict, Integer> counts() {
    Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
    for (Verdict verdict : Verdict.values()) {
      counts.put(verdict, 0);
    }
    rules.forEach(rule -> counts.merge(rule.verdict(), 1, Integer::sum));
    return counts;
  }

  /**
   * Tells whether the provider keeps what it claims.
   *
   * @return true if no MUST rule failed and none was inconclusive
   */
  public boolean isClean() {
    return rules.stream().noneMatch(RuleResult::isAgainst);
  }

  /**
   * Finds the verdict on a rule.
   *
   * @param id the rule's id
   * @return empty if it was not run
   */
  public Optional<RuleResult> rule(String id) {
    return rules.stream().filter(rule -> rule.id().equals(id)).findFirst();
  }
}
