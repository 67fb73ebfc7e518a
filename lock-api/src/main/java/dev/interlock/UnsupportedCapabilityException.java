package dev.interlock;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The provider does not declare the capability that the call needs. Nothing was sent. */
public final class UnsupportedCapabilityException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   */
  public UnsupportedCapabilityException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param cause what led to it
   */
  public UnsupportedCapabilityException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
