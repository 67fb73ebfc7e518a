package dev.interlock.tck.internal.run;

import dev.interlock.BackendUnavailableException;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.Verdict;
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
 */
record Finding(Verdict verdict, String message, List<String> history, boolean outOfOrder) {

  private static final String SLOW = "Nothing can be said: ";

  Finding(Verdict verdict, String message, List<String> history) {
    this(verdict, message, history, false);
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
    } catch (NotReached | ClockUnusableException e) {
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      return new Finding(Verdict.INCONCLUSIVE, message, List.of());
    } catch (Throwable t) {
      for (Throwable cause = t; cause != null; cause = cause.getCause()) {
        if (cause instanceof NotOfferedException) {
          return new Finding(Verdict.NOT_CLAIMED, String.valueOf(cause.getMessage()), List.of());
        }
      }
      return failure(RuleViolation.unexpected(t), hint).asDisorder();
    }
  }

  static Finding failure(RuleViolation violation, String hint) {
    String message = "expected: " + violation.expected() + "\nhappened: " + violation.happened();
    return new Finding(
        Verdict.FAIL,
        hint.isEmpty() ? message : message + "\nto check: " + hint,
        violation.history());
  }

  boolean isFailure() {
    return verdict == Verdict.FAIL;
  }

  /** What is found if a test is not done in time, though its calls are answered. */
  static Finding slow(String message, List<String> stack) {
    return new Finding(Verdict.INCONCLUSIVE, SLOW + message, stack).asDisorder();
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
        && message.contains(BackendUnavailableException.class.getName());
  }

  /** Adds what may explain a failure. */
  Finding ifFailed(String remark) {
    return isFailure() ? withMessage(message + "\n" + remark) : this;
  }

  /** Adds what went before. */
  Finding after(List<String> before) {
    List<String> lines = new ArrayList<>(history);
    lines.addAll(before);
    return new Finding(verdict, message, lines, outOfOrder);
  }

  /** The same, as what no rule allows. */
  Finding asDisorder() {
    return new Finding(verdict, message, history, true);
  }

  /** The same in other words. */
  Finding withMessage(String words) {
    return new Finding(verdict, words, history, outOfOrder);
  }

  /**
   * What is left of this if the backend was not in order afterwards. A failure keeps its words and
   * history, which came first.
   */
  Finding followedBy(Finding disorder) {
    return isFailure()
        ? new Finding(verdict, message + "\nand afterwards: " + disorder.message(), history, true)
        : new Finding(disorder.verdict(), disorder.message(), disorder.history(), true);
  }
}
