package dev.interlock.tck.internal.run;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A rule is broken. */
public final class RuleViolation extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What is expected where a call threw what the test did not provoke. */
  static final String NO_EXCEPTION = "no unexpected exception";

  private static final int FRAMES = 20;
  private static final int FRAMES_OF_A_CAUSE = 5;
  private static final int MOST_LINES = 40;

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
    return new RuleViolation(NO_EXCEPTION, t.toString(), trace(t));
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

  /** Prints an exception and its causes, each with where it was thrown. */
  static List<String> trace(Throwable t) {
    List<String> lines = new ArrayList<>();
    int frames = FRAMES;
    for (Throwable cause = t;
        cause != null && lines.size() < MOST_LINES;
        cause = cause.getCause()) {
      lines.add(cause.toString());
      Stream.of(cause.getStackTrace())
          .filter(element -> !isOfTheJdk(element.getClassName()))
          .limit(frames)
          .forEach(element -> lines.add("    at " + element));
      frames = FRAMES_OF_A_CAUSE;
    }
    return lines;
  }

  private static boolean isOfTheJdk(String type) {
    return type.startsWith("java.") || type.startsWith("jdk.");
  }
}
