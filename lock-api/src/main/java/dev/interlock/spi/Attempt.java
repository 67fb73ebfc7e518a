package dev.interlock.spi;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock. Immutable; the engine makes it.
 *
 * <p>It names no smallest fencing token, as a {@link Renewal} does ({@link Renewal#minToken()}). A
 * backend that is made of others learns from all their answers which token they have to record, and
 * asks them at the same moment. A guess that is too small would spare nothing. One that is surely
 * large enough would use tokens up faster than a clock counts, and a backend that lost its counter
 * begins again at its clock.
 */
public final class Attempt {
  private final String name;
  private final HoldId id;
  private final String owner;
  private final boolean sharedOwner;
  private final Duration lease;
  private final boolean fair;
  private final Duration patience;
  private final int tokens;
  private final boolean prompt;
  private final Amount amount;

  /** How much it takes, of how much, and which hold does not count. */
  private record Amount(int units, int capacity, @Nullable HoldId beside) {
    static final Amount WHOLE = new Amount(1, 1, null);
  }

  private Attempt(
      String name,
      HoldId id,
      String owner,
      boolean sharedOwner,
      Duration lease,
      boolean fair,
      Duration patience,
      int tokens,
      boolean prompt,
      Amount amount) {
    this.name = name;
    this.id = id;
    this.owner = owner;
    this.sharedOwner = sharedOwner;
    this.lease = lease;
    this.fair = fair;
    this.patience = patience;
    this.tokens = tokens;
    this.prompt = prompt;
    this.amount = amount;
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
        1,
        false,
        Amount.WHOLE);
  }

  /**
   * Copies it with another answer to {@link #sharedOwner()}.
   *
   * @param shared whether the request named its owner
   * @return the copy
   */
  public Attempt withSharedOwner(boolean shared) {
    return new Attempt(name, id, owner, shared, lease, fair, patience, tokens, prompt, amount);
  }

  /**
   * Copies it with another answer to {@link #fair()}.
   *
   * @param inOrder whether it must not pass over those who wait
   * @return the copy
   */
  public Attempt withFair(boolean inOrder) {
    return new Attempt(
        name, id, owner, sharedOwner, lease, inOrder, patience, tokens, prompt, amount);
  }

  /**
   * Copies it with another {@link #patience()}.
   *
   * @param longest how long the caller is prepared to wait
   * @return the copy
   */
  public Attempt withPatience(Duration longest) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, longest, tokens, prompt, amount);
  }

  /**
   * Copies it with another number of {@link #tokens()}.
   *
   * @param most how many fencing tokens are of use, at least 1
   * @return the copy
   */
  public Attempt withTokens(int most) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, patience, most, prompt, amount);
  }

  /**
   * Copies it with another answer to {@link #prompt()}.
   *
   * @param atOnce whether others wait for the thread that makes it
   * @return the copy
   */
  public Attempt withPrompt(boolean atOnce) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, patience, tokens, atOnce, amount);
  }

  /**
   * Copies it with another part of the lock. Only for a provider with SHARED or PERMITS.
   *
   * @param taken {@link #units()}, at least 1
   * @param of {@link #capacity()}, at least as many
   * @return the copy
   */
  public Attempt withUnits(int taken, int of) {
    return with(new Amount(taken, of, amount.beside()));
  }

  /**
   * Copies it with another {@link #beside()}.
   *
   * @param own a hold of the same owner; null for none
   * @return the copy
   */
  public Attempt withBeside(@Nullable HoldId own) {
    return with(new Amount(amount.units(), amount.capacity(), own));
  }

  private Attempt with(Amount other) {
    return new Attempt(name, id, owner, sharedOwner, lease, fair, patience, tokens, prompt, other);
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
   * One that waits is made again once an answer about its place says that there is such a hold
   * ({@link RenewalResult.Queued#ownerHolds()}), or at a {@link BackendEvents#wake wake-up}.
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

  /**
   * Tells whether the thread that makes it makes those of others too, as for asynchronous requests.
   * The backend sends such an attempt at once: it does not hold it back so that it can go along
   * with something else.
   *
   * @return true if it does
   */
  public boolean prompt() {
    return prompt;
  }

  /**
   * Returns how much of the lock it takes. An attempt is granted when its units, and those of the
   * holds that are there, are not more than the smallest capacity that it or such a hold names.
   * Holds of the same {@link #sharedOwner()} and {@link #beside()} do not count for it. So an
   * exclusive attempt takes 1 of 1, a reader 1 of {@link Integer#MAX_VALUE}, and k of n permits k
   * of n.
   *
   * @return 1 unless the provider has PERMITS
   */
  public int units() {
    return amount.units();
  }

  /**
   * Returns of how much it takes its {@link #units()}. An attempt that may share the lock is always
   * {@link #fair()}: it is not granted while others wait, except beside a hold of its owner.
   *
   * @return 1 unless the provider has SHARED or PERMITS
   */
  public int capacity() {
    return amount.capacity();
  }

  /**
   * Returns a hold of the same client whose owner asks for less beside it: a writer that is to go
   * on as a reader. If it is there, it does not count, and the attempt need not wait for those who
   * wait. If it is not there, this is an attempt like any other.
   *
   * @return the hold, or null
   */
  public @Nullable HoldId beside() {
    return amount.beside();
  }

  @Override
  public String toString() {
    return "Attempt[name=%s, id=%s, owner=%s, sharedOwner=%s, lease=%s, fair=%s, patience=%s, tokens=%d, prompt=%s, units=%d, capacity=%d, beside=%s]"
        .formatted(
            name,
            id,
            owner,
            sharedOwner,
            lease,
            fair,
            patience,
            tokens,
            prompt,
            units(),
            capacity(),
            beside());
  }
}
