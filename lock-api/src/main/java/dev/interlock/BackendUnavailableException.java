package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The backend could not be asked, or the client is closed. Nothing was held by this call. If the
 * backend refused, it is a {@link BackendRefusedException}.
 */
public class BackendUnavailableException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public BackendUnavailableException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public BackendUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
