package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.ProviderInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TckResultTest {

  @Test
  void onlyARunWithoutFailuresAndOpenQuestionsIsClean() {
    assertThat(of(Verdict.PASS, Verdict.WAIVED, Verdict.NOT_CLAIMED).isClean()).isTrue();
    assertThat(of(Verdict.PASS, Verdict.FAIL).isClean()).isFalse();
    assertThat(of(Verdict.INCONCLUSIVE, Verdict.PASS).isClean()).isFalse();
  }

  @Test
  void verdictsAreCountedAlsoThoseThatDidNotOccur() {
    assertThat(of(Verdict.PASS, Verdict.FAIL, Verdict.PASS).counts())
        .containsEntry(Verdict.PASS, 2)
        .containsEntry(Verdict.FAIL, 1)
        .containsEntry(Verdict.WAIVED, 0)
        .hasSize(Verdict.values().length);
  }

  @Test
  void aShouldRuleThatFailsIsAWarningAndNoMore() {
    RuleResult should = of("W9", Verdict.FAIL);
    RuleResult must = of("X1", Verdict.FAIL);
    assertThat(should.isWarning()).isTrue();
    assertThat(should.isAgainst()).isFalse();
    assertThat(must.isWarning()).isFalse();
    assertThat(must.isAgainst()).isTrue();
    assertThat(of("W9", Verdict.PASS).isWarning()).isFalse();
    assertThat(of(List.of(should)).isClean()).isTrue();
    assertThat(of(List.of(should, must)).isClean()).isFalse();
  }

  @Test
  void aShouldRuleAfterWhichTheBackendIsNotInOrderIsNoWarning() {
    Evidence disorder =
        new Evidence(1, 7, Duration.ZERO, List.of(), "", List.of(), Optional.empty(), true);
    RuleResult should = new RuleResult("W9", "a rule", Level.L1, Verdict.FAIL, disorder);
    assertThat(should.isWarning()).isFalse();
    assertThat(should.isAgainst()).isTrue();
    assertThat(of(List.of(should)).isClean()).isFalse();
  }

  @Test
  void aRuleIsFoundByItsId() {
    TckResult result = of(Verdict.PASS, Verdict.FAIL);
    assertThat(result.rule("FAIL").orElseThrow().verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.rule("WAIVED")).isEmpty();
  }

  private static TckResult of(Verdict... verdicts) {
    return of(Stream.of(verdicts).map(verdict -> of(verdict.name(), verdict)).toList());
  }

  private static RuleResult of(String rule, Verdict verdict) {
    Evidence evidence =
        new Evidence(1, 7, Duration.ZERO, List.of(), "", List.of(), Optional.empty());
    return new RuleResult(rule, "a rule", Level.L1, verdict, evidence);
  }

  private static TckResult of(List<RuleResult> rules) {
    return new TckResult(
        new ProviderInfo("acme", "1.0", Set.of(), "here"),
        "a server",
        Set.of(),
        rules,
        7,
        Duration.ZERO,
        TckScales.of(1, Duration.ZERO, Duration.ZERO));
  }
}
