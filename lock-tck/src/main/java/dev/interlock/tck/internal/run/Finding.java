package dev.interlock.tck.internal.run;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.run.RuleViolation.Kind;
import dev.interlock.tck.internal.worker.ClockUnusableException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one test of a rule found.
 *
 * @param verdict what it says of the rule
 * @param message why
 * @param history what went before a failure
 * @param outOfOrder whether a call hung or threw what it must not, or the backend was left in
 *     disorder
 * @param kind what a slow machine can have to do with a failure
 */
record Finding(
    Verdict verdict, String message, List<String> history, boolean outOfOrder, Kind kind) {

  private static final String SLOW = "Nothing can be said: ";
  private static final String TOO_LATE = SLOW + "the machine was too slow, ";

  Finding(Verdict verdict, String message, List<String> history) {
    this(verdict, message, history, false, Kind.OF_ITS_TEST);
  }

  /** What may show something. */
  interface Step {
    void run() throws Throwable;
  }

  /**
   * Runs a step and tells what it shows.
   *
   * @param hint what to check if it fails; may be empty
   */
  static Finding of(String hint, Step step) {
    try {
      step.run();
      return new Finding(Verdict.PASS, "", List.of());
    } catch (RuleViolation e) {
      return failure(e, hint);
    } catch (NotReached e) {
      return notReached(e);
    } catch (ClockUnusableException e) {
      return new Finding(Verdict.INCONCLUSIVE, String.valueOf(e.getMessage()), List.of());
    } catch (Throwable t) {
      for (Throwable cause = t; cause != null; cause = cause.getCause()) {
        if (cause instanceof NotOfferedException) {
          return new Finding(Verdict.NOT_CLAIMED, String.valueOf(cause.getMessage()), List.of());
        }
        if (cause instanceof NotReached notReached) {
          return notReached(notReached);
        }
        for (Throwable reason : cause.getSuppressed()) {
          if (reason instanceof NotReached tooLate) {
            return notReached(tooLate);
          }
        }
      }
      return failure(RuleViolation.unexpected(t), hint).asDisorder();
    }
  }

  private static Finding notReached(NotReached e) {
    String message = String.valueOf(e.getMessage());
    return new Finding(
        Verdict.INCONCLUSIVE, e.isTooLate() ? TOO_LATE + message : message, List.of());
  }

  static Finding failure(RuleViolation violation, String hint) {
    String message = "expected: " + violation.expected() + "\nhappened: " + violation.happened();
    return new Finding(
        Verdict.FAIL,
        hint.isEmpty() ? message : message + "\nto check: " + hint,
        violation.history(),
        false,
        violation.kind());
  }

  boolean isFailure() {
    return verdict == Verdict.FAIL;
  }

  /** What is found if a test is not done in time, though its calls are answered. */
  static Finding slow(String message, List<String> stack) {
    return new Finding(Verdict.INCONCLUSIVE, SLOW + message, stack).asDisorder();
  }

  /** What several tests of a rule that failed have found. */
  static Finding together(List<Finding> failed) {
    List<String> messages = new ArrayList<>();
    List<String> history = new ArrayList<>();
    for (Finding finding : failed) {
      messages.add(finding.message());
      history.addAll(finding.history());
    }
    boolean outOfOrder = failed.stream().anyMatch(Finding::outOfOrder);
    Finding all = new Finding(Verdict.FAIL, String.join("\n", messages), history);
    return outOfOrder ? all.asDisorder() : all;
  }

  /** Tells whether something that stood still may be why the test did not pass. */
  boolean mayBeByStall() {
    return isFailure() || message.startsWith(SLOW);
  }

  /**
   * Tells whether a call failed, without being meant to, since the server gave no answer in time.
   */
  boolean isUnanswered() {
    return isFailure()
        && message.startsWith("expected: " + RuleViolation.NO_EXCEPTION)
        && (message.contains(BackendUnavailableException.class.getName())
            || message.contains(OutcomeUnknownException.class.getName()));
  }

  /** Tells whether the machine was too slow to show anything, whatever the test is about. */
  boolean isTooLate() {
    return message.startsWith(TOO_LATE);
  }

  /** Tells whether a machine that stood still may be why a test failed. */
  boolean isTimed(Rule rule) {
    return kind == Kind.LATE || (kind == Kind.OF_ITS_TEST && rule.timed());
  }

  /** Adds what may explain a failure. */
  Finding ifFailed(String remark) {
    return isFailure() ? withMessage(message + "\n" + remark) : this;
  }

  /** Adds what went before. */
  Finding after(List<String> before) {
    List<String> lines = new ArrayList<>(history);
    lines.addAll(before);
    return new Finding(verdict, message, lines, outOfOrder, kind);
  }

  /** The same, as what no rule allows. */
  Finding asDisorder() {
    return new Finding(verdict, message, history, true, kind);
  }

  /** The same in other words. */
  Finding withMessage(String words) {
    return new Finding(verdict, words, history, outOfOrder, kind);
  }

  /**
   * What is left of this if the backend was not in order afterwards. A failure keeps its words and
   * history, which came first.
   */
  Finding followedBy(Finding disorder) {
    return isFailure()
        ? withMessage(message + "\nand afterwards: " + disorder.message()).asDisorder()
        : disorder.asDisorder();
  }
}
