package dev.interlock.spi;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Gives a hold up, and says who of the same client may have the lock next. Immutable. */
public final class Release {
  private final String name;
  private final HoldId id;
  private final @Nullable Attempt next;
  private final List<HoldId> passed;

  private Release(String name, HoldId id, @Nullable Attempt next, List<HoldId> passed) {
    this.name = name;
    this.id = id;
    this.next = next;
    this.passed = passed;
  }

  /**
   * Makes the release of a hold that was not passed on, without an attempt to take along.
   *
   * @param name the lock
   * @param id the hold
   * @return the release
   */
  public static Release of(String name, HoldId id) {
    return new Release(Objects.requireNonNull(name), Objects.requireNonNull(id), null, List.of());
  }

  /**
   * Copies it with an attempt to take along.
   *
   * @param attempt of the same client, for the same lock; null for none
   * @return the copy
   */
  public Release withNext(@Nullable Attempt attempt) {
    return new Release(name, id, attempt, passed);
  }

  /**
   * Copies it with attempts that must not be granted the lock.
   *
   * @param served of the same client
   * @return the copy
   */
  public Release withPassed(List<HoldId> served) {
    return new Release(name, id, next, List.copyOf(served));
  }

  /**
   * Returns the lock.
   *
   * @return its name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the hold.
   *
   * @return its id
   */
  public HoldId id() {
    return id;
  }

  /**
   * Returns an attempt of the same client that waits for the same lock. The backend treats it in
   * the same atomic step, after the release and after those who waited before it, or ignores it.
   *
   * @return the attempt, or null
   */
  public @Nullable Attempt next() {
    return next;
  }

  /**
   * Returns attempts of the same client that must not be granted the lock by this release: the
   * {@link Grant#heirs()} to whom it was passed under this hold, and others that got it from their
   * own client. Their queue entries go in the same step, also if the hold was not there.
   *
   * @return the attempts
   */
  public List<HoldId> passed() {
    return passed;
  }

  @Override
  public String toString() {
    return "Release[name=%s, id=%s, next=%s, passed=%s]".formatted(name, id, next, passed);
  }
}
