package dev.interlock.tck.internal.run;

import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Judgement;
import dev.interlock.tck.internal.history.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What the test of a rule expects, and what it found: its evidence. Thread-safe. */
abstract class Findings {
  /** Between two looks at what has no signal. */
  static final Duration STEP = Duration.ofMillis(5);

  private static final Duration LATE_HIT = Duration.ofSeconds(1);

  private final AtomicLong operations = new AtomicLong();
  private final Map<String, Long> least = new ConcurrentHashMap<>();
  private final List<String> faults = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<History> histories = new ArrayList<>();
  private final CallTrace trace = new CallTrace();
  private volatile @Nullable Violation violation;

  /**
   * Returns the least of a value in all tries of a test: what a first try left behind does not
   * belong to what there was before.
   *
   * @param what names the value
   */
  public long least(String what, long value) {
    return least.merge(what, value, Math::min);
  }

  public void count(long more) {
    operations.addAndGet(more);
  }

  /** Notes a fault that was really hit. */
  public void fault(String what) {
    trace.event("fault: " + what);
    synchronized (faults) {
      if (!faults.contains(what)) {
        faults.add(what);
      }
    }
  }

  /** Says what was observed, for the evidence of a pass. */
  public void note(String observed) {
    synchronized (notes) {
      if (!notes.contains(observed)) {
        notes.add(observed);
      }
    }
  }

  /** Fails the rule unless the condition holds. */
  public void expect(boolean condition, String expected, String happened) {
    count(1);
    if (!condition) {
      throw new RuleViolation(expected, happened, List.of());
    }
  }

  /**
   * Keeps a history, and fails the rule if its check finds a violation. A check that does not come
   * to an end ends the test: it proves nothing.
   */
  public void judge(History history, String expected) {
    synchronized (histories) {
      histories.add(history);
    }
    Judgement judgement = history.judge();
    if (judgement.answer() == Judgement.Answer.NO) {
      violation = judgement.violation();
      List<String> lines = judgement.lines();
      throw RuleViolation.atAnySpeed(expected, lines.get(0), lines.subList(1, lines.size()));
    }
    if (judgement.answer() == Judgement.Answer.UNDECIDED) {
      throw new NotReached("the search for an order of " + history.size() + " calls was given up");
    }
  }

  /** Fails the rule unless the call throws this exception; returns it. */
  public <X extends Throwable> X expectThrows(
      Class<X> type, String call, Callable<? extends @Nullable Object> action) {
    count(1);
    Object value;
    try {
      value = action.call();
    } catch (NotOfferedException e) {
      throw e;
    } catch (Throwable t) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
      throw new RuleViolation(
          call + " throws " + type.getSimpleName(), "it threw " + t, RuleViolation.trace(t));
    }
    throw new RuleViolation(
        call + " throws " + type.getSimpleName(), "it answered " + value, List.of());
  }

  /** Fails the rule unless the condition comes true in time; returns how long that took. */
  public Duration await(Duration limit, String expected, Callable<Boolean> condition)
      throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        throw RuleViolation.late(
            expected + " within " + limit.toMillis() + " ms", "it did not come about", List.of());
      }
      pause(STEP);
    }
    count(1);
    return since(start);
  }

  /**
   * Notes a fault if it was hit, and otherwise ends the test: it would prove nothing. Waits a
   * little for the hit: a call that several servers have to answer may end before the last one.
   */
  public void requireHit(Injection injection) throws InterruptedException {
    long start = System.nanoTime();
    while (injection.hits() == 0 && since(start).compareTo(LATE_HIT) < 0) {
      pause(STEP);
    }
    requireHit(injection.hits(), injection.fault().words());
  }

  /** Notes a fault if it was hit, and otherwise ends the test: it would prove nothing. */
  public void requireHit(long hits, String fault) {
    if (hits == 0) {
      throw new NotReached("this fault was not hit: " + fault);
    }
    fault(fault);
  }

  /**
   * Notes a race if its moment was met; otherwise the machine was too slow, and it is tried again.
   */
  public void requireMet(long times, String race) {
    if (times == 0) {
      throw NotReached.tooLate("this was not met: " + race);
    }
    fault(race);
  }

  /** Ends the test if too little happened for its history to prove anything. */
  public static void requireEnough(long found, long least, String what) {
    if (found < least) {
      throw new NotReached("only %d %s: %d would tell something".formatted(found, what, least));
    }
  }

  /** Waits although nothing tells that the time is over: for a lease to pass. */
  public static void pause(Duration time) throws InterruptedException {
    long deadline = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  public static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  long operations() {
    return operations.get();
  }

  List<String> faults() {
    synchronized (faults) {
      return List.copyOf(faults);
    }
  }

  List<History> histories() {
    synchronized (histories) {
      return List.copyOf(histories);
    }
  }

  /** Forgets the calls of the test before. */
  void restart() {
    trace.restart();
    violation = null;
  }

  CallTrace trace() {
    return trace;
  }

  /** Returns the holds that a history of this test was found wrong for, if any. */
  @Nullable
  Violation violation() {
    return violation;
  }

  String notes() {
    synchronized (notes) {
      return String.join(". ", notes);
    }
  }
}
