package dev.interlock.tck.internal.run;

import dev.interlock.LeaseLostException;
import dev.interlock.LockTimeoutException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A rule is broken. */
public final class RuleViolation extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What is expected where a call threw what the test did not provoke. */
  static final String NO_EXCEPTION = "no unexpected exception";

  /** What a slow machine can have to do with a violation. */
  enum Kind {
    /** Nothing. */
    AT_ANY_SPEED,
    /** Something came too late. */
    LATE,
    /** The rule's test says. */
    OF_ITS_TEST
  }

  private static final int FRAMES = 20;
  private static final int FRAMES_OF_A_CAUSE = 5;
  private static final int MOST_LINES = 40;

  private final String expected;
  private final String happened;
  private final Kind kind;

  @SuppressWarnings("serial") // a copy made by List.copyOf is serializable
  private final List<String> history;

  public RuleViolation(String expected, String happened, List<String> history) {
    this(Kind.OF_ITS_TEST, expected, happened, history);
  }

  private RuleViolation(Kind kind, String expected, String happened, List<String> history) {
    super("expected: " + expected + "; happened: " + happened);
    this.kind = kind;
    this.expected = expected;
    this.happened = happened;
    this.history = List.copyOf(history);
  }

  /** What ought to have come about earlier. A machine that stands still makes all of it late. */
  public static RuleViolation late(String expected, String happened, List<String> history) {
    return new RuleViolation(Kind.LATE, expected, happened, history);
  }

  /** What is wrong however slow the machine is. */
  static RuleViolation atAnySpeed(String expected, String happened, List<String> history) {
    return new RuleViolation(Kind.AT_ANY_SPEED, expected, happened, history);
  }

  /** What a call threw that ought to have worked. */
  public static RuleViolation unexpected(Throwable t) {
    Kind kind = Kind.OF_ITS_TEST;
    for (Throwable cause = t; cause != null; cause = cause.getCause()) {
      if (isOfTime(cause)) {
        kind = Kind.LATE;
      }
    }
    return new RuleViolation(kind, NO_EXCEPTION, t.toString(), trace(t));
  }

  /** A limit was reached, or a lease was over before its release. */
  private static boolean isOfTime(Throwable t) {
    return t instanceof TimeoutException
        || t instanceof LockTimeoutException
        || t instanceof LeaseLostException;
  }

  Kind kind() {
    return kind;
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
