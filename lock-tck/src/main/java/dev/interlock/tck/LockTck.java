package dev.interlock.tck;

import dev.interlock.tck.internal.run.TckRun;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The kit as a JUnit test: a backend's author extends it and says where the backend is. Each rule
 * is a test of its own, named by its id and title.
 *
 * <p>A rule that is NOT_CLAIMED or WAIVED is reported as aborted, with the reason, and never as
 * passed; so is a SHOULD rule that does not hold, and one that needs faults which the backend's
 * author offers no way to inject ({@link TckBackend#faults(TckServer)}). Any other INCONCLUSIVE
 * rule fails. The system properties {@code interlock.tck.effort} (quick, standard or full; quick
 * unless set) and {@code interlock.tck.seed} govern the run. What several JVMs did in a rule that
 * fails is saved in the directory {@code interlock.tck.histories} ({@code target/histories} unless
 * set), see {@link SavedHistory}. JUnit sees the rules one by one, but they run as
 * {@link TckRunner} runs them, partly side by side.
 */
public abstract class LockTck {

  /** For subclasses. */
  protected LockTck() {}

  /**
   * Says what to check. Called once.
   *
   * @return the backend
   */
  protected abstract TckBackend backend();

  /**
   * Runs the rules.
   *
   * @return one test for each rule
   */
  @TestFactory
  Stream<DynamicNode> rules() {
    Map<RuleInfo, CompletableFuture<RuleResult>> results = new LinkedHashMap<>();
    Set<String> only = only();
    TckRun.testedRules().stream()
        .filter(rule -> only.isEmpty() || only.contains(rule.id()))
        .forEach(rule -> results.put(rule, new CompletableFuture<>()));
    TckRunner runner = configured(TckRunner.of(backend()))
        .saveHistories(histories())
        .onProgress(collector(results));
    Thread thread = new Thread(() -> run(runner, results), "tck-junit");
    thread.setDaemon(true);
    thread.start();
    return results.entrySet().stream()
        .map(entry -> DynamicTest.dynamicTest(
            entry.getKey().toString(), () -> judge(entry.getValue().get())));
  }

  private static TckRunner configured(TckRunner runner) {
    String effort = System.getProperty("interlock.tck.effort", "quick");
    TckRunner configured = runner.effort(Effort.valueOf(effort.toUpperCase(Locale.ROOT)));
    Set<String> only = only();
    configured = only.isEmpty() ? configured : configured.only(only);
    Long seed = Long.getLong("interlock.tck.seed");
    return seed == null ? configured : configured.seed(seed);
  }

  /** Another test of the same provider must not write over this one's. */
  private Path histories() {
    String directory = System.getProperty("interlock.tck.histories", "target/histories");
    return Path.of(directory, getClass().getSimpleName());
  }

  private static Set<String> only() {
    return Pattern.compile(",")
        .splitAsStream(System.getProperty("interlock.tck.rules", ""))
        .map(String::strip)
        .filter(id -> !id.isEmpty())
        .collect(Collectors.toSet());
  }

  private static TckProgress collector(Map<RuleInfo, CompletableFuture<RuleResult>> results) {
    return new TckProgress() {
      @Override
      public void finished(RuleResult result) {
        results.forEach((rule, future) -> {
          if (rule.id().equals(result.id())) {
            future.complete(result);
          }
        });
      }
    };
  }

  private static void run(TckRunner runner, Map<RuleInfo, CompletableFuture<RuleResult>> results) {
    try {
      runner.run();
    } catch (RuntimeException | Error e) {
      results.values().forEach(result -> result.completeExceptionally(e));
    }
  }

  private static void judge(RuleResult result) {
    Evidence evidence = result.evidence();
    String saved = evidence.saved().map(file -> "\n  history saved in " + file).orElse("");
    String text = result + "\n  seed " + evidence.seed() + saved;
    if (result.isWarning()) {
      Assumptions.abort("A warning, for this rule is a SHOULD: " + text);
    }
    switch (result.verdict()) {
      case PASS -> {}
      case FAIL -> Assertions.fail(text);
      case INCONCLUSIVE -> {
        if (TckRun.wantsFaults(result)) {
          Assumptions.abort(text);
        }
        Assertions.fail(text);
      }
      case NOT_CLAIMED, WAIVED -> Assumptions.abort(text);
    }
  }
}
