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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class WarningTest {
  private static final Evidence EVIDENCE =
      new Evidence(1, 7, Duration.ZERO, List.of(), "", List.of(), Optional.empty());
  private static final String STALLED = "Nothing can be said, for it failed again";
  private static final RuleResult UNOFFERED =
      undecided("W4", "Not tested, for want of the faults [PAUSE]");
  private static final RuleResult UNCOUNTED =
      undecided("M3", "Not tested, for want of a count of what there is");

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
    Report report = report(ours, peer);

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
    assertThat(with(undecided("X1", STALLED)).isGood()).isFalse();
    assertThat(with(undecided("W9", STALLED)).isGood()).isTrue();
    ProviderReport report = with(UNOFFERED, UNCOUNTED);
    assertThat(report.isGood()).isTrue();
    assertThat(Unjudged.of(report(report)))
        .containsExactly("Not judged of acme, for want of means: W4, M3;"
            + " the exit status does not count that.");
  }

  @Test
  void a_rule_that_was_asked_for_by_name_is_to_be_judged() {
    RuleResult passed = new RuleResult("X1", "a rule", Level.L1, Verdict.PASS, EVIDENCE);

    ProviderReport one = of(List.of(passed, UNOFFERED));
    assertThat(one.isGood()).isFalse();
    assertThat(Unjudged.of(report(one)))
        .containsExactly("Not judged of acme, for want of means: W4;"
            + " that was asked for by name, so this run is no success.");
    ProviderReport nothing = of(List.of(UNOFFERED, UNCOUNTED));
    assertThat(nothing.isGood()).isFalse();
    assertThat(Unjudged.of(report(nothing)))
        .containsExactly("Nothing was judged of acme, for want of means: W4, M3,"
            + " so this run is no success.");
    assertThat(of(List.of(undecided("W9", STALLED))).isGood())
        .as("nothing is known, though no more than a warning")
        .isFalse();
    assertThat(of(List.of(passed)).isGood()).isTrue();
  }

  @Test
  void a_peer_that_was_not_judged_counts_only_where_there_are_no_others() {
    ProviderReport none = of(List.of()).ofPeer(true);
    ProviderReport failing = failing(rule -> rule.id().equals("X1")).ofPeer(true);

    assertThat(report(failing).isGood()).isTrue();
    assertThat(report(failing, none).isGood()).isFalse();
    assertThat(Unjudged.of(report(failing, none)))
        .containsExactly("Nothing was judged of acme (peer), so this run is no success.");
    assertThat(report(failing(rule -> false), none).isGood()).isTrue();
    assertThat(Unjudged.of(report(failing(rule -> false), none))).isEmpty();
  }

  /** All rules, these among them. */
  private static ProviderReport with(RuleResult... some) {
    List<RuleResult> results = new ArrayList<>(List.of(some));
    failing(rule -> false).rules().stream()
        .filter(rule -> results.stream().noneMatch(one -> one.id().equals(rule.id())))
        .forEach(results::add);
    return of(results);
  }

  private static Report report(ProviderReport... providers) {
    return new Report(
        Instant.EPOCH,
        Effort.QUICK,
        7,
        Duration.ZERO,
        SampleReport.MACHINE,
        List.of(providers),
        List.of(),
        Optional.empty());
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
