package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.tck.internal.rules.AllRules;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.TckRun;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** SPEC.md and the tests name each other, in both directions. */
class RulesTest {

  @Test
  void everyRuleHasATestOrAReasonWhyNot() {
    Set<String> tested = testedIds();
    for (RuleInfo rule : Rules.all()) {
      if (rule.isTested()) {
        assertThat(tested).as(rule + " is said to be tested").contains(rule.id());
      } else {
        assertThat(rule.test()).matches("untested: .{20,}");
        assertThat(tested).as(rule + " is said to be untested").doesNotContain(rule.id());
      }
    }
  }

  @Test
  void everyTestNamesARule() {
    Set<String> ids = Rules.all().stream().map(RuleInfo::id).collect(Collectors.toSet());
    assertThat(ids).containsAll(testedIds());
    assertThat(TckRun.testedRules()).hasSameSizeAs(testedIds());
  }

  @Test
  void everyTestSaysWhatToCheck() {
    assertThat(tests()).allSatisfy(rule -> assertThat(rule.check()).isNotBlank());
  }

  @Test
  void idsAreUniqueAndInOrder() {
    List<String> ids = Rules.all().stream().map(RuleInfo::id).toList();
    assertThat(ids).doesNotHaveDuplicates().startsWith("X1", "X2", "X3").endsWith("Q4", "Q5");
    assertThat(ids).hasSize(87);
  }

  @Test
  void aHeadingsCapabilityBelongsToItsRules() {
    assertThat(Rules.find("N1"))
        .hasValueSatisfying(rule -> assertThat(rule.capability()).contains(Capability.RENEWABLE));
    assertThat(Rules.find("X1")).hasValueSatisfying(rule -> {
      assertThat(rule.capability()).isEmpty();
      assertThat(rule.strength()).isEqualTo(Strength.MUST);
      assertThat(rule.level()).isEqualTo(Level.L1);
      assertThat(rule).hasToString("X1 holds of different owners never overlap");
    });
    assertThat(Rules.find("Z9")).isEmpty();
  }

  @Test
  void aRowThatCannotBeReadIsRefused() {
    assertThatThrownBy(() -> SpecReader.read("| <a id=\"X1\"></a>X2 | MUST | L1 | text |"))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Set<String> testedIds() {
    return tests().stream().map(Rule::value).collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Rule> tests() {
    return AllRules.CLASSES.stream()
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .map((Method method) -> method.getAnnotation(Rule.class))
        .filter(rule -> rule != null)
        .toList();
  }
}
