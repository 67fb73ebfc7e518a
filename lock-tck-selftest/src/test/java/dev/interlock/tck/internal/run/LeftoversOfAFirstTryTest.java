package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.rules.AllRules;
import dev.interlock.tck.internal.rules.ManagementRules;
import dev.interlock.tck.internal.worker.Stall;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** What a first try left is in the store when a rule is run again, and in its clients. */
class LeftoversOfAFirstTryTest {
  private static final long MANY = 5_000;

  @Test
  void whatIsTidiedUpOnlyWhileAsMuchIsLeftAgainIsNotThereBefore() throws Exception {
    // The first count is the only one without what is left; then as much goes as comes.
    RuleResult result = withEntries(count -> count == 1 ? 0 : MANY);

    assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(result.evidence().message())
        .contains("there are " + MANY + " more", "it failed again");
  }

  @Test
  void whatAFirstTryLeftIsWaitedForAndFailsNothing() throws Exception {
    // After a stall the second count is too high, and so are the first ones of the second try.
    RuleResult result = withEntries(count -> count > 1 && count < 5 ? MANY : 0);

    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.PASS);
    assertThat(result.evidence().message()).contains("Run again");
  }

  @Test
  void aServerThatAFirstTryMadeFullIsWellAtTheSecond() throws Exception {
    RuleInfo rule = Rules.find("E10").orElseThrow();
    RuleResult result = judged(
        Fault.FULL_MEANS_BUSY, rule, RuleTest.catalogue(AllRules.CLASSES).get(rule), counted -> 0);

    assertThat(result.evidence().message())
        .contains("of a free lock on a full server throws", "it failed again");
  }

  /** Judges a sound store by counts that are made up for the order in which one test asks. */
  private static RuleResult withEntries(IntToLongFunction counts) throws Exception {
    Method names = ManagementRules.class.getMethod("nothingGrowsWithNames", RuleRun.class);
    RuleTest test = new RuleTest(names.getAnnotation(Rule.class), names);
    return judged(Fault.NONE, Rules.find("M3").orElseThrow(), List.of(test), counts);
  }

  /** A stall excuses the first try. */
  private static RuleResult judged(
      Fault fault, RuleInfo rule, List<RuleTest> tests, IntToLongFunction counts) throws Exception {
    WorkerPool pool = WorkerPool.enter();
    AtomicInteger counted = new AtomicInteger();
    AtomicInteger asked = new AtomicInteger();
    StallSource stalls = (since, run, server) -> asked.incrementAndGet() == 1
        ? Optional.of(
            new Stall("this JVM stood still", since, Duration.ofMillis(300).toNanos()))
        : Optional.empty();
    try (StoreServer server = StoreServer.start(fault)) {
      TckBackend backend = TckBackend.at(server.uri())
          .countWith(() -> counts.applyAsLong(counted.incrementAndGet()))
          .faults(server)
          .timeScale(0.2);
      return new RuleExecutor(Target.of(backend), Effort.QUICK, 7, pool, Archive.NONE, stalls)
          .execute(rule, tests);
    } finally {
      pool.leave();
    }
  }
}
