package dev.interlock.bench;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.interlock.bench.planted.one.KnowsTwo;
import dev.interlock.bench.report.BenchReport;
import dev.interlock.bench.runs.BenchPlan;
import dev.interlock.bench.subjects.Subject;
import org.junit.jupiter.api.Test;

/**
 * The rule that lock-compare has on its packages, here and on a violation that was planted for it.
 */
class PackagesTest {
  private static final String ROOT = "dev.interlock.bench";

  @Test
  void packages_have_no_circles() {
    JavaClasses ours = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages(ROOT);
    assertThat(ours.contain(BenchReport.class)).isTrue();
    assertThat(ours.contain(BenchPlan.class)).isTrue();
    assertThat(ours.contain(Subject.class)).isTrue();
    noCircles(ROOT).check(ours);

    String planted = ROOT + ".planted";
    JavaClasses circle = new ClassFileImporter().importPackages(planted);
    assertThatThrownBy(() -> noCircles(planted).check(circle))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(KnowsTwo.class.getSimpleName());
  }

  private static ArchRule noCircles(String root) {
    return slices().matching(root + ".(*)..").should().beFreeOfCycles();
  }
}
