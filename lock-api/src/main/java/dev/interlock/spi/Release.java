package dev.interlock.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives a hold up.
 *
 * @param name the lock
 * @param id the hold
 * @param next an attempt of the same client that waits for the same lock. A backend that can,
 *     treats it in the same atomic step, after the release and after those who waited before it,
 *     and so saves a round trip; one that cannot ignores it.
 * @param passed attempts of the same client that must not be granted the lock by this release: the
 *     {@link Grant#heirs()} to whom it was passed under this hold, and others that got it from
 *     their own client. Their queue entries go in the same step, also if the hold was not there.
 */
public record Release(String name, HoldId id, @Nullable Attempt next, List<HoldId> passed) {

  /** Copies the list. */
  public Release {
    passed = List.copyOf(passed);
  }

  /**
   * Creates the release of a hold that was not passed to queued waiters.
   *
   * @param name the lock
   * @param id the hold
   * @param next an attempt to take along, or null
   */
  public Release(String name, HoldId id, @Nullable Attempt next) {
    this(name, id, next, List.of());
  }
}
