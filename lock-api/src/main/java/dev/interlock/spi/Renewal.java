package dev.interlock.spi;

import java.time.Duration;
import java.util.Objects;

/** One entry of a batch that keeps holds and queue entries alive. Immutable. */
public final class Renewal {
  private final String name;
  private final HoldId id;
  private final Duration lease;
  private final boolean queued;
  private final long minToken;

  private Renewal(String name, HoldId id, Duration lease, boolean queued, long minToken) {
    this.name = name;
    this.id = id;
    this.lease = lease;
    this.queued = queued;
    this.minToken = minToken;
  }

  /**
   * Makes a renewal.
   *
   * @param name the lock
   * @param id the hold, or the queued attempt
   * @param lease the time that it needs
   * @param queued the engine believes that this is a queue entry
   * @return the renewal
   */
  public static Renewal of(String name, HoldId id, Duration lease, boolean queued) {
    return new Renewal(
        Objects.requireNonNull(name),
        Objects.requireNonNull(id),
        Objects.requireNonNull(lease),
        queued,
        0);
  }

  /**
   * Copies it with another {@link #minToken()}.
   *
   * @param least the smallest fencing token that the hold may have from now on
   * @return the copy
   */
  public Renewal withMinToken(long least) {
    return new Renewal(name, id, lease, queued, least);
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
   * Returns the hold, or the queued attempt.
   *
   * @return its id
   */
  public HoldId id() {
    return id;
  }

  /**
   * Returns the time that it needs.
   *
   * @return a hold must last at least this long from now; a queued attempt will have this lease
   *     once granted
   */
  public Duration lease() {
    return lease;
  }

  /**
   * Tells what the engine believes this to be.
   *
   * @return true for a queue entry, false for a hold
   */
  public boolean queued() {
    return queued;
  }

  /**
   * Returns the smallest fencing token that the hold may have from now on. For a backend that is
   * made of others: a provider with FENCED raises the first token of a hold that is there to this
   * in the same atomic step, so that every later hold has a larger one. It never lowers a token,
   * and never touches one for the sake of a queue entry. An {@link Attempt} has no such token.
   *
   * @return 0 if the token stays as it is
   */
  public long minToken() {
    return minToken;
  }

  @Override
  public String toString() {
    return "Renewal[name=%s, id=%s, lease=%s, queued=%s, minToken=%d]"
        .formatted(name, id, lease, queued, minToken);
  }
}
