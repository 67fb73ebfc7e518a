package dev.interlock.tck.internal.run;

import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckProgress;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.rules.AllRules;
import dev.interlock.tck.internal.worker.WorkerPool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One run of the kit: first the rules that mostly wait, side by side, then the others in turn. */
public final class TckRun {
  /** More than processors, for these rules sleep most of the time. */
  private static final int SIDE_BY_SIDE = 6;

  private final RuleExecutor executor;
  private final TckProgress progress;

  private TckRun(RuleExecutor executor, TckProgress progress) {
    this.executor = executor;
    this.progress = progress;
  }

  public static List<RuleInfo> testedRules() {
    return List.copyOf(RuleTest.catalogue(AllRules.CLASSES).keySet());
  }

  /** Tells whether a rule is inconclusive only because its faults were not offered. */
  public static boolean wantsFaults(RuleResult result) {
    return result.verdict() == Verdict.INCONCLUSIVE
        && result.evidence().message().startsWith(RuleExecutor.NOT_OFFERED);
  }

  public static TckResult run(
      TckBackend backend,
      Effort effort,
      long seed,
      @Nullable Set<String> only,
      Archive archive,
      TckProgress progress) {
    long start = System.nanoTime();
    Map<RuleInfo, List<RuleTest>> chosen = new LinkedHashMap<>();
    RuleTest.catalogue(AllRules.CLASSES).forEach((rule, tests) -> {
      if (only == null || only.contains(rule.id())) {
        chosen.put(rule, tests);
      }
    });
    Target target = Target.of(backend);
    String server = target.server();
    WorkerPool pool = WorkerPool.enter();
    try {
      StallMeter stalls = StallMeter.instance();
      RuleExecutor executor =
          new RuleExecutor(target, effort, seed, pool, archive, stalls::longestSince);
      List<RuleResult> results = new TckRun(executor, progress).all(chosen);
      return new TckResult(
          target.info(), server, target.info().capabilities(), results, seed, RuleRun.since(start));
    } finally {
      pool.leave();
    }
  }

  private List<RuleResult> all(Map<RuleInfo, List<RuleTest>> chosen) {
    Optional<String> hopeless = executor.preflight();
    if (hopeless.isPresent()) {
      List<RuleResult> none = chosen.keySet().stream()
          .map(rule -> executor.hopeless(rule, hopeless.get()))
          .toList();
      none.forEach(progress::finished);
      return none;
    }
    Map<String, RuleResult> results = new java.util.concurrent.ConcurrentHashMap<>();
    ExecutorService sideBySide =
        Executors.newFixedThreadPool(SIDE_BY_SIDE, work -> new Thread(work, "tck-run"));
    try {
      List<Future<?>> started = new ArrayList<>();
      longestFirst(chosen)
          .forEach(
              (rule, tests) -> started.add(sideBySide.submit(() -> one(rule, tests, results))));
      for (Future<?> rule : started) {
        rule.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the run was interrupted", e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException("the kit itself failed", e.getCause());
    } finally {
      sideBySide.shutdownNow();
    }
    chosen.forEach((rule, tests) -> {
      if (alone(tests)) {
        one(rule, tests, results);
      }
    });
    return chosen.keySet().stream().map(rule -> results.get(rule.id())).toList();
  }

  private void one(RuleInfo rule, List<RuleTest> tests, Map<String, RuleResult> results) {
    progress.started(rule);
    RuleResult result = executor.execute(rule, tests);
    results.put(rule.id(), result);
    progress.finished(result);
  }

  /** Those that need not run alone, so ordered that no long one is left over at the end. */
  private static Map<RuleInfo, List<RuleTest>> longestFirst(Map<RuleInfo, List<RuleTest>> chosen) {
    Map<RuleInfo, List<RuleTest>> ordered = new LinkedHashMap<>();
    chosen.entrySet().stream()
        .filter(entry -> !alone(entry.getValue()))
        .sorted(Comparator.comparing(entry -> -limit(entry.getValue())))
        .forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
    return ordered;
  }

  private static int limit(List<RuleTest> tests) {
    return tests.stream().mapToInt(test -> test.rule().limit()).sum();
  }

  private static boolean alone(List<RuleTest> tests) {
    return tests.stream().anyMatch(test -> test.rule().alone());
  }
}
