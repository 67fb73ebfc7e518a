package dev.interlock.tck.internal.run;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.Effort;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.worker.Debugging;
import dev.interlock.tck.internal.worker.MachineLoad;
import dev.interlock.tck.internal.worker.Stall;
import dev.interlock.tck.internal.worker.WorkerPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs the tests of one rule, cleans up behind them, and makes the verdict. Thread-safe. */
final class RuleExecutor {
  /** How the message begins when the author gave the kit no way to inject a fault. */
  static final String NOT_OFFERED = NotReached.FOR_WANT + "the faults ";

  private static final String HUNG = "it hung; the thread of the test stood at the place below";
  /** The name of the thread that a test begins on. */
  static final String THREAD = "tck-rule";

  /** For how long at most a second try waits for a machine that does less. */
  private static final Duration CALM_LIMIT = Duration.ofSeconds(10);

  private static final int HEAL_SECONDS = 30;
  private static final int PREFLIGHT_SECONDS = 20;
  private static final int MOST_HANGS = 3;
  private static final int SHORT_SECONDS = 10;

  /** After which time a stall that has ended is known, also that of another JVM. */
  private static final Duration TOLD = Duration.ofMillis(60);

  /** Makes a sound backend fail tests of unstretched length. */
  private static final Duration LONG_STALL = Duration.ofMillis(250);

  /** Who has no answer for this part of the limit, once that is over, hangs; others are slow. */
  private static final int STILL = 20;

  /** How often a test is begun anew that the machine was too slow for. */
  private static final int MORE_TRIES = 2;

  /** How many times the limit of a rule is that at full effort, where it does so much more. */
  private static final int FULL_LIMIT = 3;

  private final Target target;
  private final Effort effort;
  private final long seed;
  private final WorkerPool pool;
  private final Archive archive;
  private final StallSource stalls;
  private final AtomicInteger hangs = new AtomicInteger();
  private volatile TckScales scales;

  /**
   * Prepares.
   *
   * @param stalls tells what stood still during a test
   */
  RuleExecutor(
      Target target,
      Effort effort,
      long seed,
      WorkerPool pool,
      Archive archive,
      StallSource stalls) {
    this.target = target;
    this.effort = effort;
    this.seed = seed;
    this.pool = pool;
    this.archive = archive;
    this.stalls = stalls;
    this.scales = target.scales(Duration.ZERO);
  }

  /** Returns the scales, which {@link #preflight()} finds. */
  TckScales scales() {
    return scales;
  }

  /**
   * Takes and releases a lock that nobody holds, before anything else, and measures how far away
   * the server is.
   *
   * @return why that failed; empty if all is well
   */
  Optional<String> preflight() {
    RuleRun run = run("preflight");
    Finding finding = limited("a first lock", PREFLIGHT_SECONDS, run, "", () -> {
      LockRequest request = LockRequest.of(run.name()).withLease(run.ms(10_000));
      try (LockClient client = run.opener().open()) {
        client.acquire(request.withWait(run.ms(5_000))).release();
        scales = target.scales(RoundTrip.of(client, run.name()));
      }
      stalls.begin(scales.roundTrip());
    });
    return finding.verdict() == Verdict.PASS
        ? Optional.empty()
        : Optional.of(finding.message() + "\n" + String.join("\n", finding.history()));
  }

  /** What is said of a rule when not even one lock can be taken. */
  RuleResult hopeless(RuleInfo rule, String why) {
    Evidence evidence = new Evidence(
        0,
        seed,
        Duration.ZERO,
        List.of(),
        "Not run, for a free lock could not be acquired and released:\n" + why,
        List.of(),
        Optional.empty());
    Verdict verdict = rule.id().equals("X3") ? Verdict.FAIL : Verdict.INCONCLUSIVE;
    return new RuleResult(rule.id(), rule.title(), rule.level(), verdict, evidence);
  }

  private RuleRun run(String rule) {
    return new RuleRun(rule, target, scales, effort, seed, pool, stalls);
  }

  RuleResult execute(RuleInfo rule, List<RuleTest> tests) {
    long start = System.nanoTime();
    RuleRun run = run(rule.id());
    Finding finding = find(rule, tests, run);
    Finding healed = limited("cleaning up", HEAL_SECONDS, run, "", () -> Healing.heal(run));
    if (run.harmsServer()) {
      stalls.resume();
    }
    if (healed.verdict() != Verdict.PASS) {
      finding = finding.followedBy(healed);
    }
    Optional<Path> saved = Optional.empty();
    try {
      saved = archive.save(target.info(), rule.id(), finding.verdict(), seed, run.histories());
    } catch (IOException e) {
      finding = finding.withMessage(finding.message() + "\nThe history could not be saved: " + e);
    }
    String waiver = target.backend().waivers().get(rule.id());
    if (waiver != null) {
      String effect = finding.verdict() == Verdict.PASS || finding.verdict() == Verdict.NOT_CLAIMED
          ? " It has no effect and can go."
          : "";
      String without =
          "Waived: " + waiver + ". Without the waiver: " + finding.verdict() + "." + effect + " ";
      finding = new Finding(Verdict.WAIVED, without + finding.message(), finding.history());
    }
    Evidence evidence = new Evidence(
        run.operations(),
        seed,
        RuleRun.since(start),
        run.faults(),
        finding.message(),
        finding.history(),
        saved,
        finding.outOfOrder());
    return new RuleResult(rule.id(), rule.title(), rule.level(), finding.verdict(), evidence);
  }

  private Finding find(RuleInfo rule, List<RuleTest> tests, RuleRun run) {
    if (rule.capability().isPresent() && !run.has(rule.capability().get())) {
      Capability missing = rule.capability().get();
      if (target.isForeign()) {
        String reason = "no such operation in this API: " + missing;
        return new Finding(Verdict.NOT_CLAIMED, reason, List.of());
      }
      String hint = "refuse what needs a capability that is not declared, before sending anything";
      Finding refusal =
          limited("the refusal", 60, run, hint, () -> Refusal.expectRefused(missing, run));
      return refusal.verdict() == Verdict.PASS
          ? new Finding(Verdict.NOT_CLAIMED, run.notes(), List.of())
          : refusal;
    }
    if (target.isForeign() && rule.id().startsWith("E")) {
      String reason = "the rules on errors are about the exceptions of Interlock's API";
      return new Finding(Verdict.NOT_CLAIMED, reason, List.of());
    }
    if (rule.id().startsWith("Q") && target.backend().members().isEmpty()) {
      String reason = "the rule is about backends that are made of several servers";
      return new Finding(Verdict.NOT_CLAIMED, reason, List.of());
    }
    Set<TckFault> missing = EnumSet.noneOf(TckFault.class);
    List<Finding> failed = new ArrayList<>();
    List<Finding> undecided = new ArrayList<>();
    List<String> notOffered = new ArrayList<>();
    int done = 0;
    for (RuleTest test : tests) {
      Set<TckFault> lacking = run.lacking(test.rule().needs());
      if (!lacking.isEmpty()) {
        missing.addAll(lacking);
        continue;
      }
      done++;
      Finding finding = judged(test, run);
      if (finding.verdict() == Verdict.NOT_CLAIMED) {
        notOffered.add(test.method().getName() + " needs what is missing, " + finding.message());
      } else if (finding.verdict() == Verdict.FAIL && target.isForeign()) {
        // Its author does not run the kit again and again until all is well.
        failed.add(finding);
      } else if (finding.verdict() == Verdict.INCONCLUSIVE) {
        undecided.add(finding); // another test may find a fault
      } else if (finding.verdict() != Verdict.PASS) {
        return finding;
      }
    }
    if (!failed.isEmpty()) {
      return Finding.together(failed);
    }
    if (!undecided.isEmpty()) {
      return undecided.get(0);
    }
    if (!notOffered.isEmpty()) {
      notOffered.add((done - notOffered.size()) + " of " + tests.size() + " tests could be run");
      return new Finding(Verdict.NOT_CLAIMED, String.join(". ", notOffered), List.of());
    }
    return missing.isEmpty()
        ? new Finding(Verdict.PASS, run.notes(), List.of())
        : LackingFaults.finding(missing, done, run);
  }

  /**
   * Runs a test. One about time that failed while something stood still, or since the server gave
   * no answer in time though no fault was planned, is run again, as is what came too late in any
   * test; any other one only if both are so. If it fails again, and both stalls were long enough to
   * be the reason, it has one more try; if that ends so, too, nothing can be said.
   */
  private Finding judged(RuleTest test, RuleRun run) {
    long start = System.nanoTime();
    Finding first = one(test, run);
    Optional<Stall> stall = stallIn(first, start, run);
    boolean unanswered = first.isUnanswered() && !run.harmsServer() && !run.harmsConnections();
    Optional<String> reason = stall
        .map(Stall::toString)
        .or(() -> unanswered ? Optional.of("the server gave no answer in time") : Optional.empty());
    if (reason.isEmpty()) {
      return first;
    }
    boolean timed = first.isTimed(test.rule());
    if (!timed && (stall.isEmpty() || !unanswered)) {
      return first.ifFailed("also: " + reason.get());
    }
    String before = reason.get();
    Finding last = first;
    for (int more = 0; more < MORE_TRIES; more++) {
      Finding healed = prepareAgain(run, before);
      if (healed.verdict() != Verdict.PASS) {
        return last.followedBy(healed);
      }
      start = System.nanoTime();
      last = one(test, run);
      Optional<Stall> again = stallIn(last, start, run);
      boolean late = last.isTimed(test.rule()) || last.isUnanswered();
      if (!late || !isReason(stall) || !isReason(again)) {
        return last.ifFailed("also: " + reason.get() + " at the first try, and it failed again");
      }
      before = again.map(Stall::toString).orElse("");
    }
    String message = "Nothing can be said, for it failed again: at first " + reason.get()
        + ", at last " + before + ".\n" + last.message();
    return new Finding(Verdict.INCONCLUSIVE, message, last.history());
  }

  /** Ends the faults of a test that is run again, and waits for a machine that does less. */
  private Finding prepareAgain(RuleRun run, String reason) {
    run.note("Run again, since " + reason);
    Finding healed = limited("healing", HEAL_SECONDS, run, "", () -> Healing.endFaults(run));
    try {
      if (healed.verdict() == Verdict.PASS) {
        // What the kit does itself beside this comes to an end, so it calms down as a rule.
        MachineLoad.instance().awaitCalm(CALM_LIMIT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return healed;
  }

  /** What stood still while a test failed. */
  private Optional<Stall> stallIn(Finding finding, long start, RuleRun run) {
    if (!finding.mayBeByStall()) {
      return Optional.empty();
    }
    LockSupport.parkNanos(TOLD.toNanos());
    return stalls.longestSince(start, run.key(), !run.harmsServer());
  }

  /**
   * Whether a stall explains a failure that came twice. One of the server never does: how long it
   * takes to answer is up to the backend, too, which may block its own callers.
   */
  private boolean isReason(Optional<Stall> stall) {
    return stall
        .filter(stood -> !stood.what().equals(ServerWatch.SERVER))
        .filter(stood -> stood.nanos() > LONG_STALL.toNanos() * scales.lengths())
        .isPresent();
  }

  /** Runs a test, again if the machine was too slow to show anything. */
  private Finding one(RuleTest test, RuleRun run) {
    Finding finding = once(test, run);
    for (int more = 0; finding.isTooLate() && more < MORE_TRIES; more++) {
      Finding healed = prepareAgain(run, "the machine was too slow");
      if (healed.verdict() != Verdict.PASS) {
        return finding.followedBy(healed);
      }
      finding = once(test, run);
    }
    return finding;
  }

  private Finding once(RuleTest test, RuleRun run) {
    run.restart();
    Rule rule = test.rule();
    int limit = rule.limit() * effort.of(1, 1, FULL_LIMIT);
    String name = test.method().getName();
    Finding finding = limited(name, limit, run, rule.check(), () -> test.run(run));
    if (finding.isFailure()) {
      finding = finding.after(run.calls());
    }
    boolean hung = finding.isFailure() && finding.message().contains(HUNG);
    // Only the rules on waiting are about how long another library's calls take.
    return hung && target.isForeign() && !rule.value().startsWith("W")
        ? new Finding(Verdict.INCONCLUSIVE, finding.message(), finding.history())
        : finding;
  }

  /**
   * Runs a step on a thread of its own, which is left behind if it hangs. The time in which it
   * starts JVMs does not count: a machine that is slow must not look like a backend that hangs.
   */
  private Finding limited(String what, int seconds, RuleRun run, String hint, Finding.Step step) {
    // A provider that hangs again and again must not take hours.
    int patience = hangs.get() < MOST_HANGS ? seconds : Math.min(seconds, SHORT_SECONDS);
    Duration limit = Debugging.limit(run.limit(patience * 1_000L));
    AtomicReference<@Nullable Finding> found = new AtomicReference<>();
    Thread thread = new Thread(() -> found.set(Finding.of(hint, step)), THREAD);
    thread.setDaemon(true);
    long deadline = System.nanoTime() + limit.toNanos() - run.starts().nanos();
    thread.start();
    long answers = 0;
    try {
      long left = limit.toNanos();
      while (left > 0 && thread.isAlive()) {
        TimeUnit.NANOSECONDS.timedJoin(thread, left);
        left = deadline + run.starts().nanos() - System.nanoTime();
      }
      answers = run.answers();
      TimeUnit.NANOSECONDS.timedJoin(thread, limit.toNanos() / STILL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Finding finding = found.get();
    if (finding != null) {
      return finding;
    }
    boolean slow = run.answers() > answers;
    List<String> stack = new ArrayList<>();
    for (StackTraceElement element : thread.getStackTrace()) {
      stack.add("    at " + element);
    }
    thread.interrupt();
    if (slow) {
      // On a machine or a server that others use as well.
      return Finding.slow(
          "%s was not done after %d s, though its calls were answered"
              .formatted(what, limit.toSeconds()),
          stack);
    }
    hangs.incrementAndGet();
    String expected = what + " ends within " + limit.toSeconds() + " s";
    return Finding.failure(new RuleViolation(expected, HUNG, stack), hint).asDisorder();
  }
}
