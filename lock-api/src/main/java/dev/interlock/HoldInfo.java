package dev.interlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * What the server says of a held lock, at the moment it was asked. For operators and diagnostics:
 * it may be outdated on arrival, so never decide from it whether a lock may be entered. Immutable.
 *
 * <p>A client may pass a lock among its own waiting threads without telling the server. Then
 * {@link #since()} is that of the first holder in that sequence, and, seen from another client, so
 * are {@link #owner()} and {@link #fencingToken()}.
 *
 * <p>Where several hold a lock together this describes the one that came first, and
 * {@link #others()} the others.
 */
public final class HoldInfo {
  private final String name;
  private final String owner;
  private final String host;
  private final Instant since;
  private final Duration remaining;
  private final long fencingToken;
  private final int waiters;
  private final int units;
  private final int capacity;
  private final List<HoldInfo> others;

  private HoldInfo(
      String name,
      String owner,
      String host,
      Instant since,
      Duration remaining,
      long fencingToken,
      int waiters,
      int units,
      int capacity,
      List<HoldInfo> others) {
    this.name = name;
    this.owner = owner;
    this.host = host;
    this.since = since;
    this.remaining = remaining;
    this.fencingToken = fencingToken;
    this.waiters = waiters;
    this.units = units;
    this.capacity = capacity;
    this.others = others;
  }

  /**
   * Describes a hold. For backends.
   *
   * @param name the lock's name
   * @param owner the logical owner, or a description of the holder where none was named
   * @param host the holder's host name and process id
   * @param since when the hold began, by the server's clock
   * @param remaining how long the lease lasts unless it is renewed, by the server's clock
   * @param fencingToken the hold's fencing token; 0 where the provider is not FENCED
   * @param waiters how many waiters the server knows of
   * @return the description
   */
  public static HoldInfo of(
      String name,
      String owner,
      String host,
      Instant since,
      Duration remaining,
      long fencingToken,
      int waiters) {
    return new HoldInfo(
        Objects.requireNonNull(name),
        Objects.requireNonNull(owner),
        Objects.requireNonNull(host),
        Objects.requireNonNull(since),
        Objects.requireNonNull(remaining),
        fencingToken,
        waiters,
        1,
        1,
        List.of());
  }

  /**
   * Copies it with another holder within the same client.
   *
   * @param holder the owner to whom the lock was passed
   * @param token that owner's fencing token
   * @return the copy
   */
  public HoldInfo withHolder(String holder, long token) {
    return new HoldInfo(
        name, holder, host, since, remaining, token, waiters, units, capacity, others);
  }

  /**
   * Copies it with what the holder has of the lock. For backends.
   *
   * @param held {@link #units()}
   * @param of {@link #capacity()}
   * @return the copy
   */
  public HoldInfo withUnits(int held, int of) {
    return new HoldInfo(
        name, owner, host, since, remaining, fencingToken, waiters, held, of, others);
  }

  /**
   * Copies it with those who hold the lock besides. For backends.
   *
   * @param besides in the order in which they came
   * @return the copy
   */
  public HoldInfo withOthers(List<HoldInfo> besides) {
    return new HoldInfo(
        name,
        owner,
        host,
        since,
        remaining,
        fencingToken,
        waiters,
        units,
        capacity,
        List.copyOf(besides));
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
   * Returns the logical owner.
   *
   * @return a description of the holder where no owner was named
   */
  public String owner() {
    return owner;
  }

  /**
   * Returns where the holder runs.
   *
   * @return host name and process id
   */
  public String host() {
    return host;
  }

  /**
   * Returns when the hold began.
   *
   * @return by the server's clock
   */
  public Instant since() {
    return since;
  }

  /**
   * Returns how long the lease lasts unless it is renewed.
   *
   * @return by the server's clock
   */
  public Duration remaining() {
    return remaining;
  }

  /**
   * Returns the hold's fencing token.
   *
   * @return 0 where the provider is not FENCED
   */
  public long fencingToken() {
    return fencingToken;
  }

  /**
   * Returns how many waiters the server knows of.
   *
   * @return a number in which a client may stand for several threads
   */
  public int waiters() {
    return waiters;
  }

  /**
   * Returns how much of the {@link #capacity()} the holder has.
   *
   * @return the number of permits, else 1
   */
  public int units() {
    return units;
  }

  /**
   * Returns how much can be held beside each other as far as this holder is concerned.
   *
   * @return the size of the semaphore, 1 for an exclusive lock, {@link Integer#MAX_VALUE} for a
   *     reader
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Returns those who hold the lock besides.
   *
   * @return in the order in which they came; empty unless the lock is shared
   */
  public List<HoldInfo> others() {
    return others;
  }

  @Override
  public String toString() {
    return "HoldInfo[name=%s, owner=%s, host=%s, since=%s, remaining=%s, fencingToken=%d, waiters=%d, units=%d, capacity=%d, others=%s]"
        .formatted(
            name, owner, host, since, remaining, fencingToken, waiters, units, capacity, others);
  }
}
