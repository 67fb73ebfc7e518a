package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.ForeignStore;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Locks that have an API of their own, and no provider. */
class ClientSourceTest {
  @Test
  void aForeignLockIsJudgedByTheRulesThatItsApiCanExpress() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      TckResult result = judge(server, Set.of("O1", "O4", "W4", "M5", "N1", "E8"));

      assertThat(result.provider().id()).isEqualTo("foreign");
      assertThat(result.provider().version()).isEqualTo("1.2");
      assertThat(verdict(result, "O4")).isEqualTo(Verdict.PASS);
      // A part of the test cannot be expressed, the rest holds.
      assertThat(verdict(result, "W4")).isEqualTo(Verdict.PASS);
      assertThat(message(result, "W4")).contains("no such operation in this API: acquireAll");
      assertThat(verdict(result, "M5")).isEqualTo(Verdict.NOT_CLAIMED);
      assertThat(message(result, "M5")).contains("acquireAll", "0 of 2 tests could be run");
      // Two tests pass, the third sends commands past the client: that is no pass.
      assertThat(verdict(result, "O1")).isEqualTo(Verdict.NOT_CLAIMED);
      assertThat(message(result, "O1")).contains("2 of 3 tests could be run");
      assertThat(verdict(result, "N1")).isEqualTo(Verdict.NOT_CLAIMED);
      assertThat(verdict(result, "E8")).isEqualTo(Verdict.NOT_CLAIMED);
    }
  }

  @Test
  void whatAForeignLockBreaksFails() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.TOKEN_STANDS_STILL)) {
      TckResult result = judge(server, Set.of("O4", "T1"));

      assertThat(verdict(result, "T1")).isEqualTo(Verdict.FAIL);
      assertThat(verdict(result, "O4")).isEqualTo(Verdict.PASS);
    }
  }

  private static TckResult judge(StoreServer server, Set<String> rules) {
    TckBackend backend =
        TckBackend.at(server.uri()).openWith(ForeignStore.class).faults(server).timeScale(2.0);
    return TckRunner.of(backend).effort(Effort.QUICK).only(rules).run();
  }

  private static Verdict verdict(TckResult result, String rule) {
    return result.rule(rule).orElseThrow().verdict();
  }

  private static String message(TckResult result, String rule) {
    return result.rule(rule).orElseThrow().evidence().message();
  }
}
