package dev.interlock;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What to acquire. Immutable: each method returns a changed copy.
 *
 * <p>Without {@link #withLease} the lock gets the client's default lease and is renewed every third
 * of it until released. With it, the lease is fixed unless {@link #renewing()} is asked for as
 * well. Without {@link #withWait} acquire waits without limit. Without {@link #withOwner} every
 * request is its own owner and never re-enters.
 */
public final class LockRequest {
  /** The shortest lease that can be asked for; the drift margin would leave nothing of less. */
  public static final Duration MIN_LEASE = Duration.ofMillis(10);

  /** The longest lease that can be asked for. */
  public static final Duration MAX_LEASE = Duration.ofDays(365);

  /** The most permits that a semaphore can have. */
  public static final int MAX_PERMITS = 1_000_000_000;

  /** The longest name, and the longest owner, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 1024;

  private final String name;
  private final @Nullable Duration wait;
  private final @Nullable Duration lease;
  private final @Nullable String owner;
  private final @Nullable Boolean fair;
  private final boolean renewing;
  private final Amount amount;

  /** How much of the lock it takes. */
  private record Amount(LockKind kind, int units, int capacity) {
    static final Amount WHOLE = new Amount(LockKind.EXCLUSIVE, 1, 1);
    static final Amount SHARED = new Amount(LockKind.SHARED, 1, Integer.MAX_VALUE);

    @Override
    public String toString() {
      return kind == LockKind.PERMITS ? units + " of " + capacity : kind.toString();
    }
  }

  private LockRequest(
      String name,
      @Nullable Duration wait,
      @Nullable Duration lease,
      @Nullable String owner,
      @Nullable Boolean fair,
      boolean renewing,
      Amount amount) {
    this.name = name;
    this.wait = wait;
    this.lease = lease;
    this.owner = owner;
    this.fair = fair;
    this.renewing = renewing;
    this.amount = amount;
  }

  /**
   * Starts a request.
   *
   * @param name not empty, without NUL, at most {@value #MAX_NAME_BYTES} bytes in UTF-8; names are
   *     compared exactly
   * @return a request with the defaults
   * @throws IllegalArgumentException if the name is not allowed
   */
  public static LockRequest of(String name) {
    return new LockRequest(requireText("name", name), null, null, null, null, false, Amount.WHOLE);
  }

  /**
   * Limits the wait.
   *
   * @param wait zero or more; zero for one attempt
   * @return the changed copy
   * @throws IllegalArgumentException if it is negative
   */
  public LockRequest withWait(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait is " + wait + ": it must not be negative");
    }
    return new LockRequest(name, wait, lease, owner, fair, renewing, amount);
  }

  /**
   * Sets the lease, which then is not renewed unless {@link #renewing()} is asked for.
   *
   * @param lease from 10 ms to 365 days
   * @return the changed copy
   * @throws IllegalArgumentException if it is out of range
   */
  public LockRequest withLease(Duration lease) {
    return new LockRequest(name, wait, requireLease(lease), owner, fair, renewing, amount);
  }

  /**
   * Names a logical owner: the same owner re-enters, from any thread of this client, and from any
   * other client where the provider declares {@link Capability#SHARED_OWNER}.
   *
   * @param owner same limits as a name
   * @return the changed copy
   * @throws IllegalArgumentException if it is not allowed
   */
  public LockRequest withOwner(String owner) {
    return new LockRequest(name, wait, lease, requireText("owner", owner), fair, renewing, amount);
  }

  /**
   * Asks for the order of arrival (true), or allows others to pass (false), instead of the
   * provider's default.
   *
   * @param fair true needs {@link Capability#FAIR}
   * @return the changed copy
   */
  public LockRequest fair(boolean fair) {
    return new LockRequest(name, wait, lease, owner, fair, renewing, amount);
  }

  /**
   * Asks for renewal of an explicit lease, every third of it, until released.
   *
   * @return the changed copy
   */
  public LockRequest renewing() {
    return new LockRequest(name, wait, lease, owner, fair, true, amount);
  }

  /**
   * Asks for a reader's part of the lock: any number of readers hold it together, and nobody holds
   * it alone meanwhile. Readers always stand in the order of arrival, whatever {@link #fair} says.
   * An owner that holds the lock otherwise, or reads already, need not wait for anybody.
   *
   * @return the changed copy, which needs {@link Capability#SHARED}
   */
  public LockRequest shared() {
    return new LockRequest(name, wait, lease, owner, fair, renewing, Amount.SHARED);
  }

  /**
   * Asks for some of the permits of a semaphore. The request is granted when these permits and
   * those that others hold are not more than the smallest size that the request or a holder names.
   * Who asks for permits always stands in the order of arrival, whatever {@link #fair} says. An
   * owner is only a label here: whoever acquires twice holds twice as many.
   *
   * @param permits how many, at least one
   * @param of how many there are, at most {@value #MAX_PERMITS}
   * @return the changed copy, which needs {@link Capability#PERMITS}
   * @throws IllegalArgumentException if these numbers are out of range, or there are not as many
   */
  public LockRequest permits(int permits, int of) {
    if (of < 1 || of > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "a semaphore has from 1 to %d permits, not %d".formatted(MAX_PERMITS, of));
    }
    if (permits < 1 || permits > of) {
      throw new IllegalArgumentException(
          "%d permits were asked for: it must be from 1 to %d".formatted(permits, of));
    }
    Amount some = new Amount(LockKind.PERMITS, permits, of);
    return new LockRequest(name, wait, lease, owner, fair, renewing, some);
  }

  /**
   * Returns the lock's name.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the limit of the wait.
   *
   * @return empty for no limit
   */
  public Optional<Duration> maxWait() {
    return Optional.ofNullable(wait);
  }

  /**
   * Returns the explicit lease.
   *
   * @return empty for the client's default
   */
  public Optional<Duration> lease() {
    return Optional.ofNullable(lease);
  }

  /**
   * Returns the logical owner.
   *
   * @return empty when the request is its own owner
   */
  public Optional<String> owner() {
    return Optional.ofNullable(owner);
  }

  /**
   * Returns whether the order of arrival was asked for.
   *
   * @return empty for the provider's default
   */
  public Optional<Boolean> fairness() {
    return Optional.ofNullable(fair);
  }

  /**
   * Tells whether the lease is renewed until released.
   *
   * @return true without an explicit lease, or after {@link #renewing()}
   */
  public boolean isRenewing() {
    return renewing || lease == null;
  }

  /**
   * Returns what it takes of the lock.
   *
   * @return EXCLUSIVE unless {@link #shared()} or {@link #permits} was asked for
   */
  public LockKind kind() {
    return amount.kind();
  }

  /**
   * Returns how much it takes of the {@link #capacity()}.
   *
   * @return the number of permits, else 1
   */
  public int units() {
    return amount.units();
  }

  /**
   * Returns how much can be held beside each other as far as this request is concerned.
   *
   * @return the size of the semaphore, 1 for an exclusive lock, {@link Integer#MAX_VALUE} for a
   *     shared one
   */
  public int capacity() {
    return amount.capacity();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LockRequest that
        && name.equals(that.name)
        && Objects.equals(wait, that.wait)
        && Objects.equals(lease, that.lease)
        && Objects.equals(owner, that.owner)
        && Objects.equals(fair, that.fair)
        && renewing == that.renewing
        && amount.equals(that.amount);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, wait, lease, owner, fair, renewing, amount);
  }

  @Override
  public String toString() {
    return "LockRequest[name=%s, wait=%s, lease=%s, owner=%s, fair=%s, renewing=%s, amount=%s]"
        .formatted(name, wait, lease, owner, fair, isRenewing(), amount);
  }

  /**
   * Checks a lease.
   *
   * @param lease the lease
   * @return the same
   * @throws IllegalArgumentException if it is shorter than {@link #MIN_LEASE} or longer than
   *     {@link #MAX_LEASE}
   */
  public static Duration requireLease(Duration lease) {
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "lease is " + lease + ": it must be from " + MIN_LEASE + " to " + MAX_LEASE);
    }
    return lease;
  }

  private static String requireText(String what, String text) {
    Objects.requireNonNull(text, what);
    if (text.isEmpty()) {
      throw new IllegalArgumentException(what + " is empty");
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + " contains NUL");
    }
    int bytes;
    try {
      // Encodes strictly: an unpaired surrogate would be replaced, and two names would become one.
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).limit();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(what + " is not valid Unicode", e);
    }
    if (bytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          what + " has " + bytes + " bytes in UTF-8: at most " + MAX_NAME_BYTES + " are allowed");
    }
    return text;
  }
}
