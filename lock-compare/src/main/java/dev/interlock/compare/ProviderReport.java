package dev.interlock.compare;

import dev.interlock.Capability;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Verdict;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What was found out about one provider.
 *
 * @param id the provider's id
 * @param version the version of its artifact
 * @param server product and version of the server it ran on
 * @param origin where that server came from
 * @param capabilities what the provider declares
 * @param rules the verdicts
 * @param figures what was measured
 * @param error why the kit could not run; empty if it could
 */
record ProviderReport(
    String id,
    String version,
    String server,
    String origin,
    Set<Capability> capabilities,
    List<RuleResult> rules,
    Figures figures,
    String error) {

  String cell(RuleInfo rule) {
    return rules.stream()
        .filter(result -> result.id().equals(rule.id()))
        .map(result -> text(result.verdict()))
        .findFirst()
        .orElse(rule.isTested() ? "-" : "untested");
  }

  static String text(Verdict verdict) {
    return verdict == Verdict.NOT_CLAIMED ? "not claimed" : verdict.name();
  }

  long count(Verdict verdict) {
    return rules.stream().filter(rule -> rule.verdict() == verdict).count();
  }

  boolean isGood() {
    return error.isEmpty() && count(Verdict.FAIL) == 0 && !figures.anyFailed();
  }

  /** In one line: how many rules have which verdict. */
  String summary() {
    if (!error.isEmpty()) {
      return "the kit could not run: " + error;
    }
    StringBuilder text = new StringBuilder();
    for (Verdict verdict : Verdict.values()) {
      long count = count(verdict);
      if (count > 0) {
        text.append(text.isEmpty() ? "" : ", ").append(count).append(' ').append(text(verdict));
      }
    }
    return text.toString();
  }

  Set<Capability> sortedCapabilities() {
    return new TreeSet<>(capabilities);
  }

  String capabilityText() {
    return sortedCapabilities().stream().map(Enum::name).collect(Collectors.joining(" "));
  }
}
