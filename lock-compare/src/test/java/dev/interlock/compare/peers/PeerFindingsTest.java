package dev.interlock.compare.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import dev.interlock.tck.Verdict;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the README says of the peers, on a real server. */
class PeerFindingsTest {

  @Test
  void redissons_fair_lock_is_silent_when_nobody_holds_it_and_moves_to_other_threads() {
    TckResult result = judge("redisson-fair", Set.of("O3", "O4", "M1"));

    assertThat(result.provider().version()).matches("\\d+\\.\\d+.*");
    assertThat(of(result, "O3").verdict()).isEqualTo(Verdict.FAIL);
    assertThat(of(result, "O3").evidence().message())
        .contains("release after close throws LeaseLostException", "it answered 0");
    assertThat(of(result, "O4").verdict()).isEqualTo(Verdict.PASS);
    assertThat(of(result, "M1").verdict()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(of(result, "M1").evidence().message()).contains("no such operation in this API");
  }

  @Test
  void redissons_fenced_lock_gives_a_new_token_to_a_reentry() {
    TckResult result = judge("redisson-fenced", Set.of("T3"));

    assertThat(of(result, "T3").verdict()).isEqualTo(Verdict.FAIL);
    assertThat(of(result, "T3").evidence().message()).contains("a thread's re-entry keeps token");
  }

  @Test
  void springs_lock_does_not_keep_the_contract_of_interruption() {
    TckResult result = judge("spring-redis", Set.of("W5"));

    RuleResult found = of(result, "W5");
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.FAIL);
    assertThat(of(result, "W5").evidence().message())
        .contains("the flag is set when lock() returns", "it is cleared");
  }

  private static TckResult judge(String peer, Set<String> rules) {
    Peer judged = Peer.find(peer).orElseThrow();
    try (Backend backend = judged.start()) {
      return TckRunner.of(judged.target(backend).timeScale(2))
          .effort(Effort.QUICK)
          .only(rules)
          .run();
    }
  }

  private static RuleResult of(TckResult result, String rule) {
    return result.rule(rule).orElseThrow();
  }
}
