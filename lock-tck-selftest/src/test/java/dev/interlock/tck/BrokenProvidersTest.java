package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The kit against providers that are broken on purpose: each fails exactly the rules that it breaks
 * and passes all others. A kit that passes a broken lock would be worse than none.
 *
 * <p>Each meets the rules that it breaks; with {@code -Dinterlock.tck.selftest=all} it meets all of
 * them. That a rule passes what keeps it is {@link SoundStoreTest}'s part.
 */
class BrokenProvidersTest {
  private static final boolean ALL =
      System.getProperty("interlock.tck.selftest", "").equals("all");

  /** Those to run; all if none is named. */
  private static final Set<String> FAULTS = Stream.of(
          System.getProperty("interlock.tck.faults", "").split(","))
      .filter(name -> !name.isEmpty())
      .collect(Collectors.toSet());
  // A few rules sleep more than they work. All of them at once would starve one another, and those
  // that look at times would fail by chance.
  private static final int AT_ONCE = ALL ? 3 : 8;

  @Tag("thorough")
  @TestFactory
  Stream<DynamicTest> eachBrokenProviderFailsExactlyTheRulesItBreaks() {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    Map<Fault, Future<TckResult>> runs = new LinkedHashMap<>();
    BrokenProviders.EXPECTED.keySet().stream()
        .filter(fault -> FAULTS.isEmpty() || FAULTS.contains(fault.name()))
        .forEach(fault -> runs.put(fault, pool.submit(() -> run(fault))));
    pool.shutdown();
    return runs.entrySet().stream()
        .map(run -> DynamicTest.dynamicTest(
            run.getKey() + " fails " + BrokenProviders.EXPECTED.get(run.getKey()),
            () -> judge(run.getKey(), run.getValue().get())));
  }

  @Test
  void oneThatAlwaysSaysYesIsNoLock() throws IOException {
    try (StoreServer server = StoreServer.start(Fault.ALWAYS_YES)) {
      TckResult result = TckRunner.of(TckBackend.at(server.uri()).inOneJvm())
          .only(Set.of("X1", "X3", "X6", "O1", "M1", "L6", "S1"))
          .effort(Effort.QUICK)
          .run();
      assertThat(result.took()).isLessThan(Duration.ofMinutes(2));
      // S1 is not claimed, and not refused either.
      for (String id : List.of("X1", "X3", "X6", "O1", "M1", "S1")) {
        assertThat(result.rule(id).orElseThrow().verdict()).as(id).isEqualTo(Verdict.FAIL);
      }
    }
  }

  @Test
  void oneThatDoesNothingOrHangsIsFoundOutBeforeTheRules() throws IOException {
    for (Fault fault : List.of(Fault.DOES_NOTHING, Fault.HANGS)) {
      try (StoreServer server = StoreServer.start(fault)) {
        TckResult result =
            TckRunner.of(TckBackend.at(server.uri()).inOneJvm().timeScale(0.2)).run();
        assertThat(result.took()).isLessThan(Duration.ofSeconds(30));
        assertThat(result.isClean()).isFalse();
        assertThat(result.rule("X3").orElseThrow().verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.counts()).containsEntry(Verdict.PASS, 0);
        assertThat(result.rule("X1").orElseThrow().evidence().message())
            .contains("a free lock could not be acquired and released");
      }
    }
  }

  @Test
  void eachRuleThatABackendCanBreakIsInTheTableOfTheSpecification() throws IOException {
    Map<String, Set<String>> table = table();
    Map<String, Set<String>> expected = new TreeMap<>();
    BrokenProviders.EXPECTED.forEach((fault, rules) -> rules.forEach(
        rule -> expected.computeIfAbsent(rule, key -> new TreeSet<>()).add(fault.name())));
    BrokenClientsTest.EXPECTED.forEach((clients, rules) -> rules.forEach(rule ->
        expected.computeIfAbsent(rule, key -> new TreeSet<>()).add(clients.getSimpleName())));
    for (RuleInfo rule : Rules.all()) {
      // Broken backends of several servers are in BrokenQuorumTest of lock-quorum.
      if (rule.strength() == Strength.MUST && !rule.id().startsWith("Q")) {
        assertThat(table).containsKey(rule.id());
      }
    }
    assertThat(table).isEqualTo(expected);
  }

  /** The rules of the table, with the broken stores and clients. */
  private static Map<String, Set<String>> table() throws IOException {
    Map<String, Set<String>> table = new TreeMap<>();
    String spec;
    try (InputStream in = Rules.class.getResourceAsStream("SPEC.md")) {
      spec = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String part = spec.substring(spec.indexOf("## What the kit was seen to find"));
    Matcher rows = Pattern.compile("(?m)^\\| ([A-Z]\\d+) \\| (.*) \\|$").matcher(part);
    while (rows.find()) {
      Set<String> faults = Pattern.compile("`(\\w+)`")
          .matcher(rows.group(2))
          .results()
          .map(found -> found.group(1))
          .collect(Collectors.toCollection(TreeSet::new));
      assertThat(faults).as(rows.group(1)).isNotEmpty();
      table.put(rows.group(1), faults);
    }
    return table;
  }

  private static TckResult run(Fault fault) throws IOException {
    try (StoreServer server = StoreServer.start(fault)) {
      String uri = StoresOfFaults.uri(server, fault);
      TckBackend backend =
          TckBackend.at(uri).countWith(server::entries).faults(server).timeScale(2.0);
      TckRunner runner = TckRunner.of(
              StoresOfFaults.NEEDS_PROCESSES.contains(fault) ? backend : backend.inOneJvm())
          .effort(Effort.QUICK);
      return (ALL ? runner : runner.only(BrokenProviders.EXPECTED.get(fault))).run();
    }
  }

  private static void judge(Fault fault, TckResult result) {
    Set<String> unclean = result.rules().stream()
        .filter(rule -> rule.verdict() != Verdict.PASS && rule.verdict() != Verdict.NOT_CLAIMED)
        .map(RuleResult::id)
        .collect(Collectors.toCollection(TreeSet::new));
    Set<String> expected = BrokenProviders.EXPECTED.getOrDefault(fault, Set.of());
    Set<String> surprising = new TreeSet<>(unclean);
    surprising.removeAll(expected);
    surprising.removeAll(BrokenProviders.NOW_AND_THEN.getOrDefault(fault, Set.of()));
    String seen = "seed " + result.seed() + "\n" + describe(result, unclean);
    assertThat(surprising).as("failed besides: " + seen).isEmpty();
    assertThat(unclean).as(seen).containsAll(expected);
    for (String id : unclean) {
      RuleResult rule = result.rule(id).orElseThrow();
      assertThat(Caught.is(rule)).as(seen).isTrue();
      assertThat(rule.evidence().message()).contains("expected:", "happened:", "to check:");
    }
  }

  private static String describe(TckResult result, Set<String> ids) {
    return ids.stream()
        .map(id -> result.rule(id).orElseThrow().toString())
        .collect(Collectors.joining("\n"));
  }
}
