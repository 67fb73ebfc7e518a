package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Locks;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.worker.Stall;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a test is run again, and what a slow machine excuses. */
class SecondTryTest extends RuleExecution {
  /** What the first client of a JVM takes is not to be taken for a test that is slow. */
  @BeforeEach
  void openOnce() {
    Locks.open(server.uri()).close();
  }

  @Test
  void whoGoesOnAtTheLimitIsSlowAndDoesNotHang() {
    RuleResult slow = run(backend().timeScale(1), "X3", "isSlow");

    assertThat(slow.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(slow.evidence().message()).contains("isSlow was not done", "calls were answered");
    RuleResult hung = run(backend().timeScale(1), "X3", "hangsWhileOthersGoOn");
    assertThat(hung.verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void whoIsSlowInAStallIsRunOnceMoreIfItIsAboutTime() {
    stall = stalled("a worker JVM stood still", 200);
    assertThat(run(backend().timeScale(1), "X3", "isSlowAtFirst").verdict())
        .isEqualTo(Verdict.PASS);
    stall = Optional.empty();
    RuleSamples.RUNS.set(0);
    assertThat(run(backend().timeScale(1), "X3", "isSlowAtFirst").verdict())
        .isEqualTo(Verdict.INCONCLUSIVE);
  }

  @Test
  void whoIsSlowInARuleOfWhatShouldBeIsNoWarning() {
    RuleResult slow = run(backend().timeScale(1), "W9", "isSlowInARuleOfWhatShouldBe");
    assertThat(slow.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(slow.isAgainst()).isTrue();
  }

  @Test
  void whatFailsBecauseTheJvmStoodStillIsRunOnceMoreIfItIsAboutTime() {
    stall = stalled("a worker JVM stood still", 200);
    RuleResult repeated = run(backend(), "X3", "failsAtFirstByTheTime");
    assertThat(repeated.verdict()).isEqualTo(Verdict.PASS);
    assertThat(repeated.evidence().message()).contains("a worker JVM stood still for 200 ms");
    RuleSamples.RUNS.set(0);
    RuleResult notAboutTime = run(backend(), "X3", "failsAtFirst");
    assertThat(notAboutTime.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(notAboutTime.evidence().message()).endsWith("a worker JVM stood still for 200 ms");
    RuleResult twice = run(backend(), "X3", "failsByTheTime");
    assertThat(twice.evidence().message()).endsWith("it failed again");
    stall = Optional.empty();
    RuleSamples.RUNS.set(0);
    assertThat(run(backend(), "X3", "failsAtFirstByTheTime").verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void whatFailsForWantOfAnAnswerIsRunOnceMoreIfItIsAboutTime() {
    RuleResult repeated = run(backend(), "X3", "isNotAnsweredAtFirst");
    assertThat(repeated.verdict()).isEqualTo(Verdict.PASS);
    assertThat(repeated.evidence().message()).contains("the server gave no answer in time");
    RuleResult never = run(backend(), "X3", "isNeverAnswered");
    assertThat(never.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(never.evidence().message()).endsWith("it failed again");
    RuleSamples.RUNS.set(0);
    RuleResult harmed = run(backend(), "X3", "isNotAnsweredAtFirstAfterHarm");
    assertThat(harmed.verdict()).isEqualTo(Verdict.FAIL);
    RuleSamples.RUNS.set(0);
    RuleResult cut = run(backend(), "X3", "isNotAnsweredAtFirstAfterACut");
    assertThat(cut.verdict()).isEqualTo(Verdict.FAIL);
    RuleSamples.RUNS.set(0);
    RuleResult whole = run(backend(), "X3", "isNotAnsweredAtFirstThoughNothingWasCut");
    assertThat(whole.verdict()).isEqualTo(Verdict.PASS);
  }

  @Test
  void whatIsNotAboutTimeIsRunOnceMoreIfItWasNotAnsweredWhileTheJvmStoodStill() {
    String atFirst = "isNotAnsweredAtFirstInATestThatIsNotAboutTime";
    assertThat(run(backend(), "X3", atFirst).verdict()).isEqualTo(Verdict.FAIL);
    stall = stalled("a worker JVM stood still", 600);
    RuleSamples.RUNS.set(0);
    assertThat(run(backend(), "X3", atFirst).verdict()).isEqualTo(Verdict.PASS);
    RuleResult never = run(backend(), "X3", "isNeverAnsweredInATestThatIsNotAboutTime");
    assertThat(never.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    // What is found at last is wrong at any speed.
    RuleSamples.RUNS.set(0);
    RuleResult wrong = run(backend(), "X3", "isNotAnsweredAndThenFails");
    assertThat(wrong.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(wrong.evidence().message()).contains("happened: it is not");
  }

  @Test
  void ofWhatFailsTwiceWhileMuchStoodStillNothingIsSaidIfItIsAboutTime() {
    stall = stalled("a worker JVM stood still", 600);
    RuleResult result = run(backend().timeScale(2), "X3", "failsByTheTime");
    assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(result.evidence().message())
        .startsWith("Nothing can be said, for it failed again: at first a worker JVM stood still")
        .contains("happened: it is late");
    assertThat(run(backend().timeScale(2), "X3", "fails").verdict()).isEqualTo(Verdict.FAIL);
    // Tests that were stretched bear longer stalls.
    RuleResult longer = run(backend().timeScale(3), "X3", "failsByTheTime");
    assertThat(longer.verdict()).isEqualTo(Verdict.FAIL);
    // A backend may be the reason that its server answers late.
    stall = stalled(ServerWatch.SERVER, 600);
    RuleResult byServer = run(backend().timeScale(2), "X3", "failsByTheTime");
    assertThat(byServer.verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void whoeverEntersBesideALeaseDoesSoAtAnySpeed() {
    stall = stalled("a worker JVM", 600);
    RuleResult result = run(backend(), "X3", "isEnteredBesideALease");
    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(RuleSamples.RUNS).hasValue(1);
    // Where nothing is known of a lease the rule's test says.
    RuleSamples.RUNS.set(0);
    assertThat(run(backend(), "X3", "isEnteredWithoutAnyLease").verdict()).isEqualTo(Verdict.PASS);
    stall = Optional.empty();
    RuleSamples.RUNS.set(0);
    assertThat(run(backend(), "X3", "isEnteredWithoutAnyLease").verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void whatComesAfterTheLeaseShowsNothingAndIsTriedAgain() {
    RuleResult slow = run(backend(), "X3", "isEnteredAfterTheLease");
    assertThat(slow.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(slow.evidence().message())
        .startsWith("Nothing can be said: the machine was too slow, for the lease on orders");
    assertThat(RuleSamples.RUNS).hasValue(3);
    RuleSamples.RUNS.set(0);
    RuleResult again = run(backend(), "X3", "isEnteredAfterTheLeaseAtFirst");
    assertThat(again.verdict()).isEqualTo(Verdict.PASS);
    assertThat(again.evidence().message()).contains("the machine was too slow");
    RuleResult released = run(backend(), "X3", "releasesAfterTheLease");
    assertThat(released.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(released.evidence().message()).contains("ran out before its release");
  }

  @Test
  void whatCameTooLateIsAboutTimeInAnyTest() {
    assertThat(run(backend(), "X3", "isLateAtFirst").verdict()).isEqualTo(Verdict.FAIL);
    for (String what : List.of("a worker JVM stood still", ServerWatch.SERVER)) {
      stall = stalled(what, 200);
      RuleSamples.RUNS.set(0);
      assertThat(run(backend(), "X3", "isLateAtFirst").verdict()).isEqualTo(Verdict.PASS);
    }
  }

  private static Optional<Stall> stalled(String what, long millis) {
    return Optional.of(new Stall(what, System.nanoTime(), millis * 1_000_000));
  }
}
