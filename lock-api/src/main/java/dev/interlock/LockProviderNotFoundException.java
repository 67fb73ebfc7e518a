package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** No provider on the class path or module path has the id that was asked for. */
public final class LockProviderNotFoundException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public LockProviderNotFoundException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public LockProviderNotFoundException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
