package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The backend was asked and no answer came: the effect is unknown. The engine undoes it in the
 * background within one lease.
 */
public final class OutcomeUnknownException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public OutcomeUnknownException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
