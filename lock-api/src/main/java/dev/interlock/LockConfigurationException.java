package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The settings are wrong, or the server or a library does not fit them. The message names every
 * fault at once, and no secret.
 */
public final class LockConfigurationException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public LockConfigurationException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public LockConfigurationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
