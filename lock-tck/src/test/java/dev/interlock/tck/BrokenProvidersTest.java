package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The kit against providers that are broken on purpose: each fails exactly the rules that it breaks
 * and passes all others. A kit that passes a broken lock would be worse than none.
 */
class BrokenProvidersTest {
  // These rules sleep more than they work; more at once would make the timing ones fail by chance.
  private static final int AT_ONCE = 4;

  private static final Map<Fault, Set<String>> EXPECTED = new EnumMap<>(Fault.class);

  static {
    EXPECTED.put(Fault.NONE, Set.of());
    // Strangers, stale holders and repetitions all release what is not theirs.
    EXPECTED.put(Fault.NO_OWNER_CHECK, Set.of("O1", "O2", "E2"));
    EXPECTED.put(Fault.EXPIRES_AFTERWARDS, Set.of("W1"));
    EXPECTED.put(Fault.CLIENT_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.THREAD_NAME, Set.of("X5"));
    EXPECTED.put(Fault.RESURRECTS, Set.of("N3"));
    EXPECTED.put(Fault.TOKEN_STANDS_STILL, Set.of("T1"));
    EXPECTED.put(Fault.FIRST_LEASE_STICKS, Set.of("L4"));
    EXPECTED.put(Fault.ERROR_MEANS_BUSY, Set.of("X3"));
    EXPECTED.put(Fault.FOLDS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.BLIND_INSPECT, Set.of("M1"));
    EXPECTED.put(Fault.REPLAY_COUNTS, Set.of("E1"));
    EXPECTED.put(Fault.KEEPS_WAITERS, Set.of("W6"));
    EXPECTED.put(Fault.POLLS, Set.of("P1"));
    EXPECTED.put(Fault.KEEPS_NAMES, Set.of("M3"));
    EXPECTED.put(Fault.STAYS_CONNECTED, Set.of("E7"));
  }

  // What these break shows itself only between processes: a crash, and clocks that differ.
  private static final Set<Fault> NEEDS_PROCESSES =
      Set.of(Fault.EXPIRES_AFTERWARDS, Fault.CLIENT_CLOCK);

  @TestFactory
  Stream<DynamicTest> eachBrokenProviderFailsExactlyTheRulesItBreaks() {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    Map<Fault, Future<TckResult>> runs = new LinkedHashMap<>();
    EXPECTED.keySet().forEach(fault -> runs.put(fault, pool.submit(() -> run(fault))));
    pool.shutdown();
    return runs.entrySet().stream()
        .map(run -> DynamicTest.dynamicTest(
            run.getKey() + " fails " + EXPECTED.get(run.getKey()),
            () -> judge(run.getKey(), run.getValue().get())));
  }

  private static TckResult run(Fault fault) throws IOException {
    try (StoreServer server = StoreServer.start(fault)) {
      TckBackend backend =
          TckBackend.at(server.uri()).countWith(server::entries).timeScale(2.0);
      return TckRunner.of(NEEDS_PROCESSES.contains(fault) ? backend : backend.inOneJvm())
          .effort(Effort.QUICK)
          .run();
    }
  }

  private static void judge(Fault fault, TckResult result) {
    Set<String> unclean = result.rules().stream()
        .filter(rule -> rule.verdict() != Verdict.PASS && rule.verdict() != Verdict.NOT_CLAIMED)
        .map(RuleResult::id)
        .collect(Collectors.toCollection(TreeSet::new));
    assertThat(unclean)
        .as(() -> "seed " + result.seed() + "\n" + describe(result, unclean))
        .isEqualTo(new TreeSet<>(EXPECTED.get(fault)));
    for (String id : unclean) {
      RuleResult rule = result.rule(id).orElseThrow();
      assertThat(rule.verdict()).isEqualTo(Verdict.FAIL);
      assertThat(rule.evidence().message()).contains("expected:", "happened:", "to check:");
    }
  }

  private static String describe(TckResult result, Set<String> ids) {
    return ids.stream()
        .map(id -> result.rule(id).orElseThrow().toString())
        .collect(Collectors.joining("\n"));
  }
}
