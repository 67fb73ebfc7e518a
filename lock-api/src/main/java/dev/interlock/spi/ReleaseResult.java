package dev.interlock.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The answer to a {@link Release}. Immutable. */
public final class ReleaseResult {
  private static final ReleaseResult NOT_HELD = new ReleaseResult(false, null, null);
  private static final ReleaseResult RELEASED = new ReleaseResult(true, null, null);

  private final boolean held;
  private final @Nullable Grant granted;
  private final @Nullable AttemptResult next;

  private ReleaseResult(boolean held, @Nullable Grant granted, @Nullable AttemptResult next) {
    this.held = held;
    this.granted = granted;
    this.next = next;
  }

  /**
   * The hold was not there, and nothing has changed, not even for {@link Release#next()}; only the
   * queue entries of {@link Release#passed()} are gone.
   *
   * @return the answer
   */
  public static ReleaseResult notHeld() {
    return NOT_HELD;
  }

  /**
   * The hold is gone. Who has the lock now is added by {@link #withGranted} and {@link #withNext}.
   *
   * @return the answer
   */
  public static ReleaseResult released() {
    return RELEASED;
  }

  /**
   * Copies it with the waiter of the same client that has the lock now. Waiters of other clients
   * are told through {@link BackendEvents}.
   *
   * @param grant its lease counts from before the call; null for none
   * @return the copy
   */
  public ReleaseResult withGranted(@Nullable Grant grant) {
    return new ReleaseResult(held, grant, next);
  }

  /**
   * Copies it with the answer to {@link Release#next()}.
   *
   * @param answer null if it was ignored or is {@link #granted()}
   * @return the copy
   */
  public ReleaseResult withNext(@Nullable AttemptResult answer) {
    return new ReleaseResult(held, granted, answer);
  }

  /**
   * Tells whether the hold was there.
   *
   * @return false if it was not: see {@link #notHeld()}
   */
  public boolean held() {
    return held;
  }

  /**
   * Returns the waiter of the same client that has the lock now.
   *
   * @return null if there is none
   */
  public @Nullable Grant granted() {
    return granted;
  }

  /**
   * Returns the answer to {@link Release#next()}.
   *
   * @return null if it was ignored or is {@link #granted()}
   */
  public @Nullable AttemptResult next() {
    return next;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReleaseResult result
        && held == result.held
        && Objects.equals(granted, result.granted)
        && Objects.equals(next, result.next);
  }

  @Override
  public int hashCode() {
    return Objects.hash(held, granted, next);
  }

  @Override
  public String toString() {
    return "ReleaseResult[held=%s, granted=%s, next=%s]".formatted(held, granted, next);
  }
}
