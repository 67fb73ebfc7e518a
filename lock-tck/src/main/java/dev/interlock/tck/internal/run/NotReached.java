package dev.interlock.tck.internal.run;

import java.io.Serial;

/** The situation that a rule is about did not come up, so the test says nothing. */
public final class NotReached extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** How the message begins when the author did not offer what a test needs. */
  static final String FOR_WANT = "Not tested, for want of ";

  public NotReached(String message) {
    super(message);
  }

  /** Because the backend's author did not offer something. */
  public static NotReached forWantOf(String what) {
    return new NotReached(FOR_WANT + what);
  }
}
