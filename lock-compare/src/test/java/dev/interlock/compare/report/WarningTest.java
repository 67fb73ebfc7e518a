package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.figures.Figures;
import dev.interlock.tck.Effort;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.Strength;
import dev.interlock.tck.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class WarningTest {
  private static final Evidence EVIDENCE =
      new Evidence(1, 7, Duration.ZERO, List.of(), "", List.of(), Optional.empty());

  @Test
  void a_should_rule_that_fails_is_a_warning_and_lowers_no_level() {
    ProviderReport report =
        failing(rule -> rule.strength() == Strength.SHOULD && rule.level() == Level.L1);

    assertThat(report.isGood()).isTrue();
    assertThat(report.level()).contains(Level.L4);
    assertThat(report.count(Verdict.FAIL)).isZero();
    assertThat(report.cell(Rules.find("W9").orElseThrow())).isEqualTo("WARNING");
    assertThat(report.summary()).contains(report.warnings() + " WARNING");
    assertThat(report.warnings()).isPositive();
  }

  @Test
  void a_must_rule_that_fails_lowers_the_level() {
    ProviderReport report = failing(rule -> rule.id().equals("X1"));

    assertThat(report.isGood()).isFalse();
    assertThat(report.level()).contains(Level.L0);
    assertThat(report.warnings()).isZero();
    assertThat(report.cell(Rules.find("X1").orElseThrow())).isEqualTo("FAIL");
  }

  @Test
  void a_level_that_is_not_reached_says_which_rule_is_in_the_way() {
    assertThat(failing(rule -> rule.id().equals("X1")).levelWithStop())
        .isEqualTo("L0 (not L1: X1 is FAIL)");
    assertThat(failing(rule -> false).levelWithStop()).isEqualTo("L4");
    assertThat(failing(rule -> rule.id().equals("W9")).levelStop()).isEmpty();
    assertThat(of(List.of()).levelStop()).isEmpty();
  }

  @Test
  void peers_are_not_in_the_totals() {
    ProviderReport peer = failing(rule -> rule.id().equals("X1")).ofPeer(true);
    ProviderReport ours = failing(rule -> rule.id().equals("X2"));
    Report report = new Report(
        Instant.EPOCH,
        Effort.QUICK,
        7,
        Duration.ZERO,
        SampleReport.MACHINE,
        List.of(ours, peer),
        List.of(),
        Optional.empty());

    assertThat(new PageView(report).totals())
        .filteredOn(count -> count.text().equals("FAIL"))
        .extracting(PageView.Count::number)
        .containsExactly(1L);
    assertThat(ReportFiles.html(report)).contains("are not in these totals");
  }

  @Test
  void a_should_rule_that_hangs_fails_and_lowers_the_level() {
    Evidence hung =
        new Evidence(1, 7, Duration.ZERO, List.of(), "", List.of(), Optional.empty(), true);
    ProviderReport report = failing(rule -> rule.id().equals("W9"), hung);

    assertThat(report.isGood()).isFalse();
    assertThat(report.level()).contains(Level.L0);
    assertThat(report.warnings()).isZero();
    assertThat(report.cell(Rules.find("W9").orElseThrow())).isEqualTo("FAIL");
  }

  @Test
  void a_claimed_rule_that_remains_undecided_fails_the_run_unless_means_were_not_offered() {
    RuleResult stalled = undecided("X1", "Nothing can be said, for it failed twice");
    RuleResult warned = undecided("W9", "Nothing can be said, for it failed twice");
    RuleResult unoffered = undecided("W4", "Not tested, for want of the faults [PAUSE]");
    RuleResult uncounted = undecided("M3", "Not tested, for want of a count of what there is");

    assertThat(of(List.of(stalled)).isGood()).isFalse();
    assertThat(of(List.of(warned)).isGood()).isTrue();
    assertThat(of(List.of(unoffered, uncounted)).isGood()).isTrue();
  }

  private static RuleResult undecided(String rule, String why) {
    Evidence evidence =
        new Evidence(1, 7, Duration.ZERO, List.of(), why, List.of(), Optional.empty());
    return new RuleResult(rule, "a rule", Level.L1, Verdict.INCONCLUSIVE, evidence);
  }

  private static ProviderReport of(List<RuleResult> results) {
    return new ProviderReport(
        "acme", "1", "a server", "here", Set.of(), results, new Figures(), "");
  }

  private static ProviderReport failing(Predicate<RuleInfo> which) {
    return failing(which, EVIDENCE);
  }

  private static ProviderReport failing(Predicate<RuleInfo> which, Evidence evidence) {
    List<RuleResult> results = Rules.all().stream()
        .filter(RuleInfo::isTested)
        .map(rule -> new RuleResult(
            rule.id(),
            rule.title(),
            rule.level(),
            which.test(rule) ? Verdict.FAIL : Verdict.PASS,
            evidence))
        .toList();
    return of(results);
  }
}
