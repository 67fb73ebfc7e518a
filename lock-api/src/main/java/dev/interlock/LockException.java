package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The root of the failures of this library; its subclasses are split by what the caller can do.
 * Misuse, such as a name that is not allowed, is answered by the exceptions of the JDK.
 */
public class LockException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public LockException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public LockException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
