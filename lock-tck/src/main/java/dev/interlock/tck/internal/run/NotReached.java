package dev.interlock.tck.internal.run;

import java.io.Serial;

/** The situation that a rule is about did not come up, so the test says nothing. */
public final class NotReached extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  public NotReached(String message) {
    super(message);
  }
}
