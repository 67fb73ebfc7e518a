package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.teststore.DistantServer;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Sound stores that are far away, keep whole seconds, or have another time of day pass, and broken
 * ones of the kind are found out all the same. Each meets the rules that distance or seconds could
 * touch soonest; with {@code -Dinterlock.tck.selftest=all} the sound ones meet all of them.
 */
class ScalesTest {
  private static final boolean ALL =
      System.getProperty("interlock.tck.selftest", "").equals("all");

  private static final Duration ONE_WAY = Duration.ofMillis(25);
  private static final Set<String> TOUCHED =
      Set.of("L4", "L6", "L7", "O2", "W1", "W4", "W5", "W8", "N1", "N3", "N4", "E6", "M1", "P1");

  private static final Map<Fault, Set<String>> CAUGHT_FAR_AWAY = new EnumMap<>(Fault.class);
  private static final Map<Fault, Set<String>> CAUGHT_IN_SECONDS = new EnumMap<>(Fault.class);

  static {
    CAUGHT_FAR_AWAY.put(Fault.NO_OWNER_CHECK, Set.of("O1", "O2"));
    CAUGHT_FAR_AWAY.put(Fault.RESURRECTS, Set.of("N3"));
    CAUGHT_FAR_AWAY.put(Fault.TAKES_AND_SAYS_BUSY, Set.of("L6"));
    CAUGHT_FAR_AWAY.put(Fault.RENEWS_ORPHANS, Set.of("E6"));
    CAUGHT_FAR_AWAY.put(Fault.BLOCKS_WHEN_HELD, Set.of("W8"));
    CAUGHT_FAR_AWAY.put(Fault.POLLS, Set.of("P1"));
    CAUGHT_FAR_AWAY.put(Fault.CUTS_TO_SECONDS, Set.of("L4"));
    CAUGHT_FAR_AWAY.put(Fault.ROUNDS_UP, Set.of("L4"));
    // Rounding up is what these declare; nothing else is.
    CAUGHT_IN_SECONDS.put(Fault.CUTS_TO_SECONDS, Set.of("L4"));
    CAUGHT_IN_SECONDS.put(Fault.CAPS_LEASES, Set.of("L4"));
    CAUGHT_IN_SECONDS.put(Fault.RESURRECTS, Set.of("N3"));
    CAUGHT_IN_SECONDS.put(Fault.TAKES_AND_SAYS_BUSY, Set.of("L6"));
    CAUGHT_IN_SECONDS.put(Fault.NO_OWNER_CHECK, Set.of("O1", "O2"));
  }

  private interface Run {
    TckResult run() throws IOException;
  }

  @Tag("thorough")
  @TestFactory
  Stream<DynamicTest> soundStoresPassAndBrokenOnesAreCaught() {
    Map<String, Run> sound = new LinkedHashMap<>();
    sound.put("far away", () -> farAway(Fault.NONE, TOUCHED));
    sound.put("with leases in whole seconds", () -> inSeconds(Fault.ROUNDS_UP, TOUCHED));
    sound.put("with a clock three minutes ahead", () -> near(Fault.CLOCK_AHEAD, Set.of("M1")));
    Map<String, Run> broken = new LinkedHashMap<>();
    CAUGHT_FAR_AWAY.forEach(
        (fault, rules) -> broken.put(fault + " far away", () -> farAway(fault, rules)));
    CAUGHT_IN_SECONDS.forEach(
        (fault, rules) -> broken.put(fault + " in whole seconds", () -> inSeconds(fault, rules)));
    ExecutorService pool = Executors.newFixedThreadPool(ALL ? 2 : 8);
    List<DynamicTest> tests = Stream.concat(
            sound.entrySet().stream().map(run -> test(pool, run, true)),
            broken.entrySet().stream().map(run -> test(pool, run, false)))
        .toList();
    pool.shutdown();
    return tests.stream();
  }

  private static DynamicTest test(ExecutorService pool, Map.Entry<String, Run> run, boolean sound) {
    Future<TckResult> result = pool.submit(() -> run.getValue().run());
    String name = run.getKey() + (sound ? " passes" : " fails");
    return DynamicTest.dynamicTest(name, () -> judge(result.get(), sound));
  }

  private static void judge(TckResult result, boolean sound) {
    assertThat(result.rules()).allSatisfy(rule -> {
      boolean good = rule.verdict() == Verdict.PASS || rule.verdict() == Verdict.NOT_CLAIMED;
      assertThat(sound ? good : Caught.is(rule))
          .as("seed %d, %s: %s", result.seed(), result.scales(), rule)
          .isTrue();
    });
  }

  private static TckResult near(Fault fault, Set<String> rules) throws IOException {
    try (StoreServer server = StoreServer.start(fault)) {
      return run(server, server.uri(), rules);
    }
  }

  private static TckResult inSeconds(Fault fault, Set<String> rules) throws IOException {
    try (StoreServer server = StoreServer.start(fault)) {
      return run(server, server.secondsUri(), rules);
    }
  }

  private static TckResult farAway(Fault fault, Set<String> rules) throws IOException {
    try (StoreServer server = StoreServer.start(fault);
        DistantServer distant = DistantServer.before(server.port(), ONE_WAY)) {
      String uri = fault == Fault.NONE ? server.countedUri() : server.uri();
      TckResult result = run(server, distant.uri(uri), rules);
      assertThat(result.scales().roundTrip()).isGreaterThanOrEqualTo(ONE_WAY.multipliedBy(2));
      assertThat(result.scales().limits()).isGreaterThan(2 * result.scales().lengths());
      return result;
    }
  }

  private static TckResult run(StoreServer server, String uri, Set<String> rules) {
    TckBackend backend = TckBackend.at(uri).countWith(server::entries).faults(server);
    TckRunner runner = TckRunner.of(backend).effort(Effort.QUICK);
    return (ALL && rules == TOUCHED ? runner : runner.only(rules)).run();
  }

  @Test
  void limitsGrowWithTheRoundTripAndLengthsFollowBeforeAFaultCouldHide() {
    TckScales near = TckScales.of(2, Duration.ofNanos(100_000), Duration.ZERO);
    assertThat(near.lengths()).isEqualTo(2);
    assertThat(near.limits()).isBetween(2.0, 2.1);
    TckScales far = TckScales.of(1, Duration.ofMillis(50), Duration.ZERO);
    assertThat(far.lengths()).isEqualTo(1);
    assertThat(far.limits()).isEqualTo(3);
    TckScales veryFar = TckScales.of(1, Duration.ofMillis(150), Duration.ofSeconds(1));
    assertThat(veryFar.limits()).isEqualTo(7);
    assertThat(veryFar.lengths()).isEqualTo(1.75);
    assertThat(veryFar)
        .hasToString("leases and waits x1.8, limits x7.0, round trip 150.0 ms,"
            + " leases in steps of 1000 ms");
    // What answers even later is slow: a limit that grew with it would always be met.
    assertThat(TckScales.of(1, Duration.ofMillis(500), Duration.ZERO).limits()).isEqualTo(9);
  }
}
