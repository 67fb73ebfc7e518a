package dev.interlock.tck.internal.run;

import java.io.Serial;

/** The situation that a rule is about did not come up, so the test says nothing. */
public final class NotReached extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** How the message begins when the author did not offer what a test needs. */
  static final String FOR_WANT = "Not tested, for want of ";

  private final boolean tooLate;

  public NotReached(String message) {
    this(message, false);
  }

  private NotReached(String message, boolean tooLate) {
    super(message);
    this.tooLate = tooLate;
  }

  /** Because the machine was too slow: what was to be seen was rightly over by then. */
  public static NotReached tooLate(String message) {
    return new NotReached(message, true);
  }

  boolean isTooLate() {
    return tooLate;
  }

  /** Because the backend's author did not offer something. */
  public static NotReached forWantOf(String what) {
    return new NotReached(FOR_WANT + what);
  }
}
