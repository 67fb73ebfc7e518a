package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The backend answered, and refused for a reason that lasts: missing rights, or no room left. It
 * may work for other clients meanwhile, and others may hold the lock. Nothing was held by this
 * call. A server that refuses because it starts, fails over or has too many clients is an ordinary
 * {@link BackendUnavailableException}.
 */
public final class BackendRefusedException extends BackendUnavailableException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public BackendRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
