package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The lease is no longer held. Stop the work that it protected. */
public final class LeaseLostException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public LeaseLostException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public LeaseLostException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
