package dev.interlock;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lease is no longer held. Stop the work that it protected. */
public final class LeaseLostException extends LockException {
  @Serial
  private static final long serialVersionUID = 2L;

  private final String name;
  private final long fencingToken;
  private final @Nullable LostReason reason;

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param name the lock
   * @param fencingToken the token of the hold; 0 where the provider is not FENCED
   * @param reason why it ended; null if it was not lost but released before
   */
  public LeaseLostException(
      String message, String name, long fencingToken, @Nullable LostReason reason) {
    this(message, name, fencingToken, reason, null);
  }

  /**
   * Creates the exception.
   *
   * @param message what was asked, what was found, what to do
   * @param name the lock
   * @param fencingToken the token of the hold; 0 where the provider is not FENCED
   * @param reason why it ended; null if it was not lost but released before
   * @param cause what led to it
   */
  public LeaseLostException(
      String message,
      String name,
      long fencingToken,
      @Nullable LostReason reason,
      @Nullable Throwable cause) {
    super(message, cause);
    this.name = name;
    this.fencingToken = fencingToken;
    this.reason = reason;
  }

  /**
   * Returns the name of the lock.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the fencing token of the hold that ended.
   *
   * @return the token; 0 where the provider is not {@link Capability#FENCED}
   */
  public long fencingToken() {
    return fencingToken;
  }

  /**
   * Returns why the lease ended.
   *
   * @return the reason; empty if it was not lost, but released before
   */
  public Optional<LostReason> reason() {
    return Optional.ofNullable(reason);
  }
}
