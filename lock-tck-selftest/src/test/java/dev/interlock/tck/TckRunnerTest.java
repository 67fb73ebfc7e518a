package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockProviderNotFoundException;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TckRunnerTest {
  @TempDir
  private Path directory;

  @Test
  void aHangIsCutOffAndFails() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.HANGS_LATER)) {
      TckBackend backend = TckBackend.at(server.uri()).inOneJvm().timeScale(0.3);
      TckResult result = TckRunner.of(backend).only(Set.of("O3")).run();
      RuleResult rule = result.rule("O3").orElseThrow();
      assertThat(rule.verdict()).isEqualTo(Verdict.FAIL);
      assertThat(rule.evidence().message()).contains("it hung");
      assertThat(rule.evidence().history()).anyMatch(line -> line.contains("OwnershipRules"));
      assertThat(result.took()).isLessThan(Duration.ofMinutes(1));
    }
  }

  @Test
  void aWaivedRuleIsRunAndNeverPasses() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.TOKEN_STANDS_STILL)) {
      TckBackend backend =
          TckBackend.at(server.uri()).inOneJvm().waive("O3", "X-1: soon").waive("T1", "X-2: old");
      TckResult result = TckRunner.of(backend).only(Set.of("O3", "T1")).run();
      RuleResult sound = result.rule("O3").orElseThrow();
      assertThat(sound.verdict()).isEqualTo(Verdict.WAIVED);
      assertThat(sound.evidence().message()).contains("X-1: soon", "Without the waiver: PASS");
      RuleResult broken = result.rule("T1").orElseThrow();
      assertThat(broken.verdict()).isEqualTo(Verdict.WAIVED);
      assertThat(broken.evidence().message()).contains("Without the waiver: FAIL");
      assertThat(result.isClean()).isTrue();
      assertThat(result.counts()).containsEntry(Verdict.WAIVED, 2).containsEntry(Verdict.PASS, 0);
    }
  }

  @Test
  void whatIsNotDeclaredIsNotClaimedAndWhatCannotBeCountedIsInconclusive() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      List<String> seen = new CopyOnWriteArrayList<>();
      TckResult result = TckRunner.of(TckBackend.at(server.uri()).server("a store"))
          .only(Set.of("F1", "S1", "M3"))
          .seed(7)
          .onProgress(recordTo(seen))
          .run();
      assertThat(result.rule("F1").orElseThrow().verdict()).isEqualTo(Verdict.NOT_CLAIMED);
      assertThat(result.rule("S1").orElseThrow().evidence().message()).contains("kept out");
      RuleResult growth = result.rule("M3").orElseThrow();
      assertThat(growth.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
      assertThat(growth.evidence().message()).contains("countWith");
      assertThat(result.isClean()).isFalse();
      assertThat(result.server()).isEqualTo("a store");
      assertThat(result.seed()).isEqualTo(7);
      assertThat(seen)
          .containsExactlyInAnyOrder("+F1", "+S1", "+M3", "-F1", "-S1", "-M3", "one by one");
    }
  }

  @Test
  void theHistoryOfARuleThatFailsIsSavedAndJudgedAgainTheSame() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.ALWAYS_YES)) {
      RuleResult failed = one(server, "X1", UnaryOperator.identity());
      assertThat(failed.evidence().saved()).as("it was not asked for").isEmpty();
      failed = one(server, "X1", runner -> runner.saveHistories(directory).seed(7));
      assertThat(failed.verdict()).isEqualTo(Verdict.FAIL);
      Path file = failed.evidence().saved().orElseThrow();
      assertThat(file).isEqualTo(directory.resolve("teststore-X1-7.tsv"));

      SavedHistory saved = SavedHistory.read(file);
      assertThat(saved.rule()).isEqualTo("X1");
      assertThat(saved.provider()).startsWith("teststore ");
      assertThat(saved.seed()).isEqualTo(7);
      SavedHistory.Part part = saved.judge().get(0);
      assertThat(part.verdict()).isEqualTo(Verdict.FAIL);
      assertThat(part.entries()).isGreaterThan(1);
      String what = part.lines().get(0);
      assertThat(failed.evidence().message()).contains("happened: " + what).contains(" at once");
      assertThat(failed.evidence().history())
          .as("the calls at the SPI may follow")
          .startsWith(part.lines().subList(1, part.lines().size()).toArray(String[]::new));
    }
  }

  @Test
  void theHistoryOfARuleThatPassesIsSavedOnRequest() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      RuleResult passed = one(server, "X1", runner -> runner.saveHistories(directory));
      assertThat(passed.evidence().saved()).isEmpty();
      assertThat(directory).isEmptyDirectory();
      passed = one(server, "X1", runner -> runner.saveAllHistories(directory));
      assertThat(SavedHistory.read(passed.evidence().saved().orElseThrow()).judge())
          .hasSize(2)
          .allSatisfy(part -> assertThat(part.verdict()).isEqualTo(Verdict.PASS));
    }
  }

  @Test
  void aHistoryThatCannotBeSavedChangesNoVerdict() throws IOException {
    Path file = Files.createFile(directory.resolve("a file"));
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      RuleResult passed = one(server, "X1", runner -> runner.saveAllHistories(file));
      assertThat(passed.verdict()).isEqualTo(Verdict.PASS);
      assertThat(passed.evidence().message()).contains("could not be saved");
    }
  }

  private static RuleResult one(StoreServer server, String rule, UnaryOperator<TckRunner> change) {
    TckRunner runner = TckRunner.of(TckBackend.at(server.uri()).inOneJvm())
        .only(Set.of(rule))
        .effort(Effort.QUICK);
    return change.apply(runner).run().rule(rule).orElseThrow();
  }

  @Test
  void wrongArgumentsAreRefused() {
    TckBackend backend = TckBackend.at("teststore://user:secret@localhost");
    assertThatThrownBy(() -> backend.waive("Z9", "why")).hasMessageContaining("Z9");
    assertThatThrownBy(() -> backend.waive("X1", " ")).hasMessageContaining("reason");
    assertThatThrownBy(() -> backend.timeScale(0)).hasMessageContaining("positive");
    assertThatThrownBy(() -> TckRunner.of(backend).only(Set.of("Z9"))).hasMessageContaining("Z9");
    assertThatThrownBy(() -> TckRunner.of(TckBackend.at("nosuch://")).run())
        .isInstanceOf(LockProviderNotFoundException.class);
    assertThat(backend).hasToString("TckBackend[teststore]");
  }

  private static TckProgress recordTo(List<String> seen) {
    return new TckProgress() {
      @Override
      public void started(RuleInfo rule) {
        seen.add("+" + rule.id());
      }

      @Override
      public void finished(RuleResult result) {
        seen.add("-" + result.id());
      }

      @Override
      public void oneByOne() {
        seen.add("one by one");
      }
    };
  }
}
