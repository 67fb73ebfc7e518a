package dev.interlock.tck.internal.run;

import dev.interlock.tck.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * What one test of a rule found.
 *
 * @param verdict what it says of the rule
 * @param message why
 * @param history what went before a failure
 */
record Finding(Verdict verdict, String message, List<String> history) {

  boolean isFailure() {
    return verdict == Verdict.FAIL;
  }

  /** Adds what may explain a failure. */
  Finding ifFailed(String remark) {
    return isFailure() ? new Finding(verdict, message + "\n" + remark, history) : this;
  }

  /** Adds what went before a failure. */
  Finding after(CallTrace trace) {
    if (!isFailure()) {
      return this;
    }
    List<String> lines = new ArrayList<>(history);
    lines.addAll(trace.lines());
    return new Finding(verdict, message, lines);
  }
}
