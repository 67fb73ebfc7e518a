package dev.interlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link Release}.
 *
 * @param held whether the hold was there; false changes nothing, not even for {@code next}
 * @param granted the waiter of the same client that has the lock now, if any; its lease counts from
 *     before the call. Waiters of other clients are told through {@link BackendEvents}.
 * @param next the answer to {@link Release#next()} unless it was ignored or is {@code granted}
 */
public record ReleaseResult(
    boolean held, @Nullable Grant granted, @Nullable AttemptResult next) {

  /** The hold was not there. */
  public static final ReleaseResult NOT_HELD = new ReleaseResult(false, null, null);

  /** The hold is gone, and no waiter of this client has the lock. */
  public static final ReleaseResult RELEASED = new ReleaseResult(true, null, null);
}
