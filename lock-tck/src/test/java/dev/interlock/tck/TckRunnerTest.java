package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockProviderNotFoundException;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class TckRunnerTest {

  @Test
  void aHangIsCutOffAndFails() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.HANGS_LATER)) {
      TckBackend backend = TckBackend.at(server.uri()).inOneJvm().timeScale(0.03);
      TckResult result = TckRunner.of(backend).only(Set.of("O3")).run();
      RuleResult rule = result.rule("O3").orElseThrow();
      assertThat(rule.verdict()).isEqualTo(Verdict.FAIL);
      assertThat(rule.evidence().message()).contains("it hung");
      assertThat(rule.evidence().history()).anyMatch(line -> line.contains("OwnershipRules"));
      assertThat(result.took()).isLessThan(Duration.ofSeconds(30));
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
      assertThat(seen).containsExactlyInAnyOrder("+F1", "+S1", "+M3", "-F1", "-S1", "-M3");
    }
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
    };
  }
}
