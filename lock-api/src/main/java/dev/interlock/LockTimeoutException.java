package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The wait is over and the lock is still held by another. Nothing is held: retry later. */
public final class LockTimeoutException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public LockTimeoutException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public LockTimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
