package dev.interlock.tck.internal.run;

import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckProgress;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.rules.AllRules;
import dev.interlock.tck.internal.worker.MachineLoad;
import dev.interlock.tck.internal.worker.WorkerPool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One run of the kit: first the rules that mostly wait, and last those that nothing runs beside.
 */
public final class TckRun {
  /**
   * How many rules of a kind run at a time at most. Those that bear many sleep most of the time.
   */
  private static final Map<Neighbours, Integer> SIDE_BY_SIDE =
      new EnumMap<>(Map.of(Neighbours.MANY, 6, Neighbours.FEW, 3, Neighbours.NONE, 1));

  private final RuleExecutor executor;
  private final TckProgress progress;
  private final Admission admission = new Admission(MachineLoad.instance()::isCalm);

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

  /** Tells whether a rule is inconclusive only because something was not offered. */
  public static boolean wantsMore(RuleResult result) {
    return result.verdict() == Verdict.INCONCLUSIVE
        && result.evidence().message().startsWith(NotReached.FOR_WANT);
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
    try (ServerWatch watch = new ServerWatch(target)) {
      RuleExecutor executor = new RuleExecutor(target, effort, seed, pool, archive, watch);
      List<RuleResult> results = new TckRun(executor, progress).all(chosen);
      return new TckResult(
          target.info(),
          server,
          target.info().capabilities(),
          results,
          seed,
          RuleRun.since(start),
          executor.scales());
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
    Map<String, RuleResult> results = new ConcurrentHashMap<>();
    SIDE_BY_SIDE.forEach((neighbours, width) -> {
      if (width == 1) {
        progress.oneByOne();
      }
      sideBySide(width, of(neighbours, chosen), results);
    });
    return chosen.keySet().stream().map(rule -> results.get(rule.id())).toList();
  }

  private void sideBySide(
      int width, Map<RuleInfo, List<RuleTest>> rules, Map<String, RuleResult> results) {
    ExecutorService threads =
        Executors.newFixedThreadPool(width, work -> new Thread(work, "tck-run"));
    try {
      List<Future<?>> started = new ArrayList<>();
      rules.forEach((rule, tests) -> started.add(threads.submit(() -> one(rule, tests, results))));
      for (Future<?> rule : started) {
        rule.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the run was interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the kit itself failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Void one(RuleInfo rule, List<RuleTest> tests, Map<String, RuleResult> results)
      throws InterruptedException {
    admission.begin();
    try {
      progress.started(rule);
      RuleResult result = executor.execute(rule, tests);
      results.put(rule.id(), result);
      progress.finished(result);
    } finally {
      admission.end();
    }
    return null;
  }

  /** Those of a kind, so ordered that no long one is left over at the end. */
  private static Map<RuleInfo, List<RuleTest>> of(
      Neighbours neighbours, Map<RuleInfo, List<RuleTest>> chosen) {
    Map<RuleInfo, List<RuleTest>> ordered = new LinkedHashMap<>();
    chosen.entrySet().stream()
        .filter(entry -> neighbours(entry.getValue()) == neighbours)
        .sorted(Comparator.comparing(entry -> -limit(entry.getValue())))
        .forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
    return ordered;
  }

  private static int limit(List<RuleTest> tests) {
    return tests.stream().mapToInt(test -> test.rule().limit()).sum();
  }

  /** What all tests of a rule can bear. */
  private static Neighbours neighbours(List<RuleTest> tests) {
    return Collections.max(tests.stream().map(test -> test.rule().neighbours()).toList());
  }
}
