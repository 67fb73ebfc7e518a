package dev.interlock.spi;

import java.time.Duration;
import java.util.Objects;

/** One attempt to get a lock. Immutable; the engine makes it. */
public final class Attempt {
  private final String name;
  private final HoldId id;
  private final String owner;
  private final boolean sharedOwner;
  private final Duration lease;
  private final boolean fair;
  private final Duration patience;
  private final int tokens;

  private Attempt(
      String name,
      HoldId id,
      String owner,
      boolean sharedOwner,
      Duration lease,
      boolean fair,
      Duration patience,
      int tokens) {
    this.name = name;
    this.id = id;
    this.owner = owner;
    this.sharedOwner = sharedOwner;
    this.lease = lease;
    this.fair = fair;
    this.patience = patience;
    this.tokens = tokens;
  }

  /**
   * Makes a single attempt of an owner that is not shared: not fair, without patience, and with one
   * fencing token.
   *
   * @param name the lock
   * @param id the identity of the hold
   * @param owner a description of the holder
   * @param lease how long the hold lasts
   * @return the attempt
   */
  public static Attempt of(String name, HoldId id, String owner, Duration lease) {
    return new Attempt(
        Objects.requireNonNull(name),
        Objects.requireNonNull(id),
        Objects.requireNonNull(owner),
        false,
        Objects.requireNonNull(lease),
        false,
        Duration.ZERO,
        1);
  }

  /**
   * Copies it with another answer to {@link #sharedOwner()}.
   *
   * @param shared whether the request named its owner
   * @return the copy
   */
  public Attempt withSharedOwner(boolean shared) {
    return new Attempt(name, id, owner, shared, lease, fair, patience, tokens);
  }

  /**
   * Copies it with another answer to {@link #fair()}.
   *
   * @param inOrder whether it must not pass over those who wait
   * @return the copy
   */
  public Attempt withFair(boolean inOrder) {
    return new Attempt(name, id, owner, sharedOwner, lease, inOrder, patience, tokens);
  }

  /**
   * Copies it with another {@link #patience()}.
   *
   * @param longest how long the caller is prepared to wait
   * @return the copy
   */
  public Attempt withPatience(Duration longest) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, longest, tokens);
  }

  /**
   * Copies it with another number of {@link #tokens()}.
   *
   * @param most how many fencing tokens are of use, at least 1
   * @return the copy
   */
  public Attempt withTokens(int most) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, patience, most);
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
   * Returns the identity of the hold.
   *
   * @return the same in every repetition
   */
  public HoldId id() {
    return id;
  }

  /**
   * Returns the owner.
   *
   * @return the logical owner if {@link #sharedOwner()}, else a description of the holder for
   *     operators
   */
  public String owner() {
    return owner;
  }

  /**
   * Tells whether the request named its owner. A provider with SHARED_OWNER lets such an attempt in
   * beside a hold of the same owner whose attempt also named it, with that hold's fencing token.
   *
   * @return true if it did
   */
  public boolean sharedOwner() {
    return sharedOwner;
  }

  /**
   * Returns how long the hold lasts.
   *
   * @return counted from when the server grants it
   */
  public Duration lease() {
    return lease;
  }

  /**
   * Tells whether the order of arrival counts.
   *
   * @return false allows a provider with FAIR to pass over those who wait
   */
  public boolean fair() {
    return fair;
  }

  /**
   * Returns how long the caller is prepared to wait from now.
   *
   * @return zero for a single attempt, which must leave nothing on the server unless it is granted
   */
  public Duration patience() {
    return patience;
  }

  /**
   * Tells whether the backend may note this attempt as a waiter.
   *
   * @return true if the caller is prepared to wait
   */
  public boolean waits() {
    return !patience.isZero();
  }

  /**
   * Returns how many consecutive fencing tokens the client can make use of. A backend may ignore it
   * and grant with one; what more are good for stands at {@link HandOffBackend}.
   *
   * @return at least 1
   */
  public int tokens() {
    return tokens;
  }

  @Override
  public String toString() {
    return "Attempt[name=%s, id=%s, owner=%s, sharedOwner=%s, lease=%s, fair=%s, patience=%s, tokens=%d]"
        .formatted(name, id, owner, sharedOwner, lease, fair, patience, tokens);
  }
}
