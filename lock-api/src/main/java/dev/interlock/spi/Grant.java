package dev.interlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * An attempt has the lock. The same whether that is the answer to the attempt, to a repetition, to
 * a renewal of its queue entry or of its hold, to somebody's release, or comes as an event.
 * Immutable.
 */
public final class Grant implements AttemptResult, RenewalResult {
  private final String name;
  private final HoldId id;
  private final long fencingToken;
  private final int tokens;
  private final Duration lease;
  private final List<HoldId> heirs;
  private final long lastToken;

  private Grant(
      String name,
      HoldId id,
      long fencingToken,
      int tokens,
      Duration lease,
      List<HoldId> heirs,
      long lastToken) {
    this.name = name;
    this.id = id;
    this.fencingToken = fencingToken;
    this.tokens = tokens;
    this.lease = lease;
    this.heirs = heirs;
    this.lastToken = lastToken;
  }

  /**
   * Makes a grant with one fencing token.
   *
   * @param name the lock
   * @param id the attempt
   * @param fencingToken its fencing token; 0 where the provider is not FENCED
   * @param lease how long the server holds it for the attempt; after a release it may be shorter
   *     than what was asked for, until the engine has confirmed it by a renewal or a repeated
   *     attempt
   * @return the grant
   */
  public static Grant of(String name, HoldId id, long fencingToken, Duration lease) {
    return new Grant(
        Objects.requireNonNull(name),
        Objects.requireNonNull(id),
        fencingToken,
        1,
        Objects.requireNonNull(lease),
        List.of(),
        0);
  }

  /**
   * Copies it with more reserved fencing tokens, see {@link HandOffBackend}.
   *
   * @param reserved how many, from {@link #fencingToken()} on
   * @return the copy
   */
  public Grant withTokens(int reserved) {
    return reserved == tokens
        ? this
        : new Grant(name, id, fencingToken, reserved, lease, heirs, lastToken);
  }

  /**
   * Copies it with waiters to whom the client may pass the lock, see {@link HandOffBackend}.
   *
   * @param behind attempts of the same client, in order
   * @return the copy
   */
  public Grant withHeirs(List<HoldId> behind) {
    return new Grant(name, id, fencingToken, tokens, lease, List.copyOf(behind), lastToken);
  }

  /**
   * Copies it with the largest fencing token that the server had given out or recorded before, for
   * this lock and maybe for others too, as the step found it that granted this one. Optional: who
   * makes one lock of several servers need not raise their tokens then.
   *
   * @param before that token; 0 if it is not known
   * @return the copy
   */
  public Grant withLastToken(long before) {
    return before == lastToken
        ? this
        : new Grant(name, id, fencingToken, tokens, lease, heirs, before);
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
   * Returns the attempt that has the lock.
   *
   * @return its id
   */
  public HoldId id() {
    return id;
  }

  /**
   * Returns the first of the fencing tokens.
   *
   * @return 0 where the provider is not FENCED
   */
  public long fencingToken() {
    return fencingToken;
  }

  /**
   * Returns how many fencing tokens are reserved.
   *
   * @return at least 1
   */
  public int tokens() {
    return tokens;
  }

  /**
   * Returns how long the server holds the lock for the attempt.
   *
   * @return the lease
   */
  public Duration lease() {
    return lease;
  }

  /**
   * Returns attempts of the same client that stand directly behind this one in the server's queue.
   *
   * @return in order and with nobody between
   */
  public List<HoldId> heirs() {
    return heirs;
  }

  /**
   * Returns the largest fencing token that the server had given out or recorded before.
   *
   * @return 0 if it is not known
   */
  public long lastToken() {
    return lastToken;
  }

  /** Whatever was before it. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Grant grant
        && name.equals(grant.name)
        && id.equals(grant.id)
        && fencingToken == grant.fencingToken
        && tokens == grant.tokens
        && lease.equals(grant.lease)
        && heirs.equals(grant.heirs);
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, fencingToken);
  }

  @Override
  public String toString() {
    return "Grant[name=%s, id=%s, fencingToken=%d, tokens=%d, lease=%s, heirs=%s]"
        .formatted(name, id, fencingToken, tokens, lease, heirs);
  }
}
