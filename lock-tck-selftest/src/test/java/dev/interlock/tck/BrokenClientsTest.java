package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.teststore.BrokenClients;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The kit against clients that break what the engine keeps for every backend. As a lock with an API
 * of its own, for which the kit opens clients without our engine before them. Each meets the rules
 * that it breaks.
 */
class BrokenClientsTest {
  static final Map<Class<? extends ClientSource>, Set<String>> EXPECTED = new LinkedHashMap<>();

  static {
    EXPECTED.put(BrokenClients.AsksWhetherItHolds.class, Set.of("L3"));
    EXPECTED.put(BrokenClients.ValidForEver.class, Set.of("L3", "N5", "L8"));
    EXPECTED.put(BrokenClients.MonotonicOnly.class, Set.of("L8"));
    EXPECTED.put(BrokenClients.SilentSecondRelease.class, Set.of("O3"));
    EXPECTED.put(BrokenClients.AnyThreadUnlocks.class, Set.of("O4", "O6"));
    EXPECTED.put(BrokenClients.FirstExitFrees.class, Set.of("O5"));
    EXPECTED.put(BrokenClients.CountsFailedEntries.class, Set.of("O6"));
    EXPECTED.put(BrokenClients.TokenForEachEntry.class, Set.of("T3"));
    EXPECTED.put(BrokenClients.UpgradeWaits.class, Set.of("R3"));
  }

  @TestFactory
  Stream<DynamicTest> eachBrokenClientFailsTheRulesItBreaks() {
    return EXPECTED.entrySet().stream()
        .map(one -> DynamicTest.dynamicTest(
            one.getKey().getSimpleName() + " fails " + one.getValue(),
            () -> judge(one.getKey(), one.getValue())));
  }

  private static void judge(Class<? extends ClientSource> clients, Set<String> expected)
      throws IOException {
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      String uri = clients == BrokenClients.UpgradeWaits.class ? server.countedUri() : server.uri();
      TckBackend backend = TckBackend.at(uri).openWith(clients).faults(server).timeScale(2.0);
      TckResult result =
          TckRunner.of(backend).effort(Effort.QUICK).only(expected).run();
      Set<String> failed = result.rules().stream()
          .filter(Caught::is)
          .map(RuleResult::id)
          .collect(Collectors.toCollection(TreeSet::new));
      assertThat(failed).as(result.toString()).isEqualTo(new TreeSet<>(expected));
    }
  }
}
