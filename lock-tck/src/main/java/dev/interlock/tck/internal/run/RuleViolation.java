package dev.interlock.tck.internal.run;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;

/** A rule is broken. */
public final class RuleViolation extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  private final String expected;
  private final String happened;

  @SuppressWarnings("serial") // a copy made by List.copyOf is serializable
  private final List<String> history;

  public RuleViolation(String expected, String happened, List<String> history) {
    super("expected: " + expected + "; happened: " + happened);
    this.expected = expected;
    this.happened = happened;
    this.history = List.copyOf(history);
  }

  /** What a call threw that ought to have worked. */
  public static RuleViolation unexpected(Throwable t) {
    return new RuleViolation("no unexpected exception", t.toString(), trace(t));
  }

  String expected() {
    return expected;
  }

  String happened() {
    return happened;
  }

  List<String> history() {
    return history;
  }

  /** Prints an exception and its causes, without what is the platform's own. */
  static List<String> trace(Throwable t) {
    List<String> lines = new ArrayList<>();
    for (Throwable cause = t; cause != null && lines.size() < 20; cause = cause.getCause()) {
      lines.add(cause.toString());
      for (StackTraceElement element : cause.getStackTrace()) {
        if (lines.size() < 20 && !element.getClassName().startsWith("java.")) {
          lines.add("    at " + element);
        }
      }
    }
    return lines;
  }
}
