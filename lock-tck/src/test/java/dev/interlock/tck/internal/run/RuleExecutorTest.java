package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.HistoryFile;
import dev.interlock.tck.internal.rules.ValidityRules;
import dev.interlock.tck.teststore.ForeignStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of a rule do, and the verdict that it makes. */
class RuleExecutorTest extends RuleExecution {
  private static final String CHECK = RuleSamples.CHECK;

  @Test
  void aPassTellsWhatWasDoneAndSeen() {
    RuleResult result = run(backend(), "X3", "passes");

    assertThat(result.verdict()).isEqualTo(Verdict.PASS);
    assertThat(result.id()).isEqualTo("X3");
    assertThat(result.title()).isEqualTo(rule("X3").title());
    assertThat(result.level()).isEqualTo(rule("X3").level());
    assertThat(result.evidence().operations()).isEqualTo(5);
    assertThat(result.evidence().seed()).isEqualTo(7);
    assertThat(result.evidence().took()).isPositive();
    assertThat(result.evidence().faults()).containsExactly("a fault");
    assertThat(result.evidence().message()).isEqualTo("one thing. another");
    assertThat(result.evidence().history()).isEmpty();
    assertThat(result.evidence().saved()).isEmpty();
  }

  @Test
  void aFailureSaysWhatWasExpectedWhatHappenedAndWhatToCheck() {
    RuleResult result = run(backend(), "X3", "fails");

    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.evidence().message())
        .isEqualTo("expected: so it is\nhappened: it is not\nto check: " + CHECK);
  }

  @Test
  void aFailureTellsTheCallsOfItsTestAndTheFaultsBetweenThem() {
    RuleResult result = run(backend(), "X3", "usesAClientAndPasses", "usesClientsAndFails");

    assertThat(String.join("\n", result.evidence().history()))
        .startsWith("calls of the test in this JVM")
        .containsSubsequence(
            " acquire(orders renewing): lease-2",
            "lease-2 release(): returned",
            "fault: a fault",
            " tryAcquire(orders renewing): lease-3",
            " close(): returned")
        .doesNotContain("in the test before");
    assertThat(run(backend(), "X3", "usesAClientAndPasses").evidence().history())
        .isEmpty();
  }

  @Test
  void oneTestThatFailsIsEnough() {
    assertThat(run(backend(), "X3", "passes", "fails").verdict()).isEqualTo(Verdict.FAIL);
    assertThat(run(backend(), "X3", "fails", "passes").verdict()).isEqualTo(Verdict.FAIL);
    assertThat(run(backend(), "X3", "doesNotReachIt", "passes").verdict())
        .isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(run(backend(), "X3", "doesNotReachIt", "fails").verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void anUnexpectedExceptionFailsWithItsTrace() {
    RuleResult result = run(backend(), "X3", "throwsSomething");

    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.evidence().message())
        .isEqualTo("expected: no unexpected exception\n"
            + "happened: java.lang.IllegalStateException: planted");
    assertThat(result.evidence().history())
        .contains("java.lang.IllegalStateException: planted", "java.io.IOException: below it")
        .anyMatch(line -> line.contains("RuleSamples.throwsSomething"));
  }

  @Test
  void whatWasNotReachedSaysNothing() {
    RuleResult missed = run(backend(), "X3", "doesNotReachIt");
    assertThat(missed.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(missed.evidence().message()).isEqualTo("this fault was not hit: a fault");
    assertThat(missed.evidence().faults()).isEmpty();
  }

  @Test
  void aRunWithoutEnoughHoldsIsInconclusive() {
    RuleResult result = run(backend(), "X3", "seesEnough", "seesTooLittle");
    assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(result.evidence().message())
        .contains("only 19 holds came about: 20 would tell something");
    assertThat(run(backend(), "X3", "seesEnough").verdict()).isEqualTo(Verdict.PASS);
  }

  /** The leases are so long that few of them end in the time of the test. */
  @Test
  void aRuleOfTheKitWithoutEnoughHoldsIsInconclusive() {
    RuleTest test = test(ValidityRules.class, "expiryFollowsValidUntil");
    RuleResult result = executor(backend().timeScale(20)).execute(rule("L1"), List.of(test));
    assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(result.evidence().message()).contains("leases were left to expire");
  }

  @Test
  void anOperationThatIsNotThereIsNotClaimedHoweverDeepTheCause() {
    RuleResult result = run(backend(), "X3", "passes", "lacksAnOperation");

    assertThat(result.verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(result.evidence().message()).contains("renaming", "1 of 2 tests could be run");
    assertThat(run(backend(), "X3", "lacksAnOperation", "fails").verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void theTimeToStartAJvmDoesNotCount() {
    RuleResult result = run(backend().timeScale(0.1), "X3", "startsAJvmSlowly");
    assertThat(result.verdict()).isEqualTo(Verdict.PASS);
  }

  @Test
  void aHangIsAFailureWithThePlaceWhereItStood() {
    RuleResult result = run(backend().timeScale(0.1), "X3", "hangs");

    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.evidence().message()).contains("hangs ends within", "it hung", CHECK);
    assertThat(result.evidence().history()).anyMatch(line -> line.contains("RuleSamples.hangs"));
    // Whoever can be woken does not stay behind.
    assertThat(RuleSamples.INTERRUPTED.get())
        .succeedsWithin(Duration.ofSeconds(10))
        .isEqualTo("tck-rule");
  }

  @Test
  void ofAForeignLockEveryTestIsRunAndNothingIsClaimedThatItsApiLacks() {
    TckBackend foreign = backend().openWith(ForeignStore.class);
    RuleResult both = run(foreign, "X3", "fails", "throwsSomething", "passes");
    assertThat(both.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(both.evidence().message()).contains("happened: it is not", "planted");
    assertThat(both.evidence().history()).isNotEmpty();
    assertThat(run(foreign, "X3", "passes").verdict()).isEqualTo(Verdict.PASS);
    assertThat(run(foreign, "E1", "passes").verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    RuleResult fair = run(foreign, "F1", "fails");
    assertThat(fair.verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(fair.evidence().message()).isEqualTo("no such operation in this API: FAIR");
  }

  @Test
  void aHangOfAForeignLockSaysNothingExceptInRulesOnWaiting() {
    TckBackend foreign = backend().openWith(ForeignStore.class).timeScale(0.1);
    assertThat(run(foreign, "X3", "hangs").verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(run(foreign, "W3", "hangsInARuleOnWaiting").verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void aHistoryIsKeptWhateverItsCheckFinds(@TempDir Path directory) throws IOException {
    RuleResult result = executor(backend(), new Archive(directory, false))
        .execute(rule("X3"), List.of(test("judgesAHistory")));

    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.evidence().message())
        .startsWith("expected: holds do not overlap\nhappened: \"lock\" was held by a and b");
    assertThat(HistoryFile.read(result.evidence().saved().orElseThrow()).histories())
        .extracting(History::check)
        .containsExactly(History.Check.TOKEN_ORDER, History.Check.OVERLAP);
  }

  @Test
  void aSearchThatWasGivenUpIsInconclusive() {
    RuleResult result = run(backend(), "X3", "judgesWhatCannotBeDecided");

    assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(result.evidence().message()).contains("49 calls was given up");
  }

  @Test
  void aWaivedRuleNeverPassesAndSaysWhatItWouldBe() {
    RuleResult passed = run(backend().waive("X3", "X-1: soon"), "X3", "passes");
    assertThat(passed.verdict()).isEqualTo(Verdict.WAIVED);
    assertThat(passed.evidence().message())
        .isEqualTo("Waived: X-1: soon. Without the waiver: PASS."
            + " It has no effect and can go. one thing. another");
    RuleResult failed = run(backend().waive("X3", "X-1: soon"), "X3", "fails");
    assertThat(failed.verdict()).isEqualTo(Verdict.WAIVED);
    assertThat(failed.evidence().message()).contains("Without the waiver: FAIL. expected: so");
    assertThat(run(backend().waive("X4", "X-1: soon"), "X3", "fails").verdict())
        .isEqualTo(Verdict.FAIL);
  }

  @Test
  void aFaultThatIsNotOfferedIsMissedUnlessThereIsNoServer() {
    RuleResult offered = run(backend().faults(server), "X3", "needsAPause");
    assertThat(offered.verdict()).isEqualTo(Verdict.PASS);
    assertThat(offered.evidence().message()).isEqualTo("it was paused");
    RuleResult missing = run(TckBackend.at(server.uri()), "X3", "passes", "needsAPause");
    assertThat(missing.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(missing.evidence().message())
        .startsWith(RuleExecutor.NOT_OFFERED + "[PAUSE]")
        .contains("one thing");
    assertThat(TckRun.wantsFaults(missing)).isTrue();
    assertThat(TckRun.wantsFaults(run(backend(), "X3", "doesNotReachIt"))).isFalse();
    assertThat(TckRun.wantsFaults(offered)).isFalse();
    RuleResult noServer = run(backend(), "X3", "passes", "needsAPause");
    assertThat(noServer.verdict()).isEqualTo(Verdict.PASS);
    assertThat(noServer.evidence().message()).contains("no server for [PAUSE]");
    assertThat(run(backend(), "X3", "needsAPause").verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(run(TckBackend.at(server.uri()), "X3", "fails", "needsAPause").verdict())
        .isEqualTo(Verdict.FAIL);
  }

  @Test
  void aCapabilityThatIsNotDeclaredIsRefusedAndNotClaimed() {
    RuleResult result = run(backend(), "F1", "fails");

    assertThat(result.verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(result.evidence().message())
        .isEqualTo("FAIR is not declared, and fair(true) is refused");
  }

  @Test
  void whatATestLeavesBehindIsHealedBeforeTheBackendIsTriedAgain() {
    RuleResult healed = run(backend().faults(server), "X3", "leavesTheServerPaused");
    assertThat(healed.verdict()).isEqualTo(Verdict.PASS);
    assertThat(run(backend(), "X3", "passes").verdict()).isEqualTo(Verdict.PASS);
  }

  @Test
  void whatCannotBeCleanedUpFailsTheRuleUnlessItHasFailedAlready() {
    RuleResult left = run(backend(), "X3", "leavesWhatCannotBeClosed");
    assertThat(left.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(left.evidence().message()).contains("it cannot be closed");
    RuleResult failed = run(backend(), "X3", "failsAndLeavesWhatCannotBeClosed");
    assertThat(failed.evidence().message()).contains("happened: it is not");
  }

  @Test
  void whatShouldBeIsAWarningUnlessItHangsThrowsOrLeavesDisorder() {
    assertThat(run(backend(), "W9", "asksForWhatShouldBe").isWarning()).isTrue();

    RuleResult hung = run(backend().timeScale(0.1), "W9", "hangsInARuleOfWhatShouldBe");
    assertThat(hung.isWarning()).isFalse();
    assertThat(hung.isAgainst()).isTrue();
    RuleResult late = run(backend(), "W9", "waitsForAnAnswerInARuleOfWhatShouldBe");
    assertThat(late.isWarning()).isFalse();
    RuleResult left = run(backend(), "W9", "leavesWhatCannotBeClosed");
    assertThat(left.isWarning()).isFalse();
    RuleResult both = run(backend(), "W9", "asksForWhatShouldBe", "leavesWhatCannotBeClosed");
    assertThat(both.isWarning()).isTrue();
    RuleResult failedAndLeft = run(backend(), "W9", "failsAndLeavesWhatCannotBeClosed");
    assertThat(failedAndLeft.isWarning()).isFalse();
    assertThat(failedAndLeft.evidence().message())
        .containsSubsequence("happened: it is not", "and afterwards: ", "it cannot be closed");
  }

  @Test
  void withoutAFirstLockNothingIsRun() throws IOException {
    RuleExecutor sound = executor(backend());
    assertThat(sound.preflight()).isEmpty();
    server.kill();
    assertThat(executor(backend()).preflight())
        .hasValueSatisfying(why -> assertThat(why).contains("expected: ", "happened: "));
    RuleResult first = sound.hopeless(rule("X3"), "no server");
    assertThat(first.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(first.evidence().message()).contains("Not run", "no server");
    assertThat(sound.hopeless(rule("X4"), "no server").verdict()).isEqualTo(Verdict.INCONCLUSIVE);
  }
}
