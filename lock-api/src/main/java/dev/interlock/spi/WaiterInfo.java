package dev.interlock.spi;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One who stands in a lock's queue on the server, at the moment when it was asked; for operators.
 * Immutable.
 */
public final class WaiterInfo {
  private final String owner;
  private final String host;
  private final @Nullable Instant since;
  private final int units;
  private final int capacity;

  private WaiterInfo(String owner, String host, @Nullable Instant since, int units, int capacity) {
    this.owner = owner;
    this.host = host;
    this.since = since;
    this.units = units;
    this.capacity = capacity;
  }

  /**
   * Describes a waiter that wants a lock for itself alone.
   *
   * @param owner the logical owner, or a description of the waiter where none was named
   * @param host the waiter's host name and process id
   * @return the description
   */
  public static WaiterInfo of(String owner, String host) {
    return new WaiterInfo(Objects.requireNonNull(owner), Objects.requireNonNull(host), null, 1, 1);
  }

  /**
   * Copies it with when the wait began.
   *
   * @param began by the server's clock
   * @return the copy
   */
  public WaiterInfo withSince(Instant began) {
    return new WaiterInfo(owner, host, Objects.requireNonNull(began), units, capacity);
  }

  /**
   * Copies it with what it wants of the lock.
   *
   * @param wanted {@link #units()}
   * @param of {@link #capacity()}
   * @return the copy
   */
  public WaiterInfo withUnits(int wanted, int of) {
    return new WaiterInfo(owner, host, since, wanted, of);
  }

  /**
   * Returns the logical owner.
   *
   * @return a description of the waiter where no owner was named
   */
  public String owner() {
    return owner;
  }

  /**
   * Returns where it runs.
   *
   * @return host name and process id
   */
  public String host() {
    return host;
  }

  /**
   * Returns when it came.
   *
   * @return by the server's clock; empty where the server does not keep it
   */
  public Optional<Instant> since() {
    return Optional.ofNullable(since);
  }

  /**
   * Returns how much of the {@link #capacity()} it wants.
   *
   * @return the number of permits, else 1
   */
  public int units() {
    return units;
  }

  /**
   * Returns how much could be held beside each other as far as this waiter is concerned.
   *
   * @return the size of the semaphore, 1 for an exclusive lock, {@link Integer#MAX_VALUE} for a
   *     reader
   */
  public int capacity() {
    return capacity;
  }

  @Override
  public String toString() {
    return "WaiterInfo[owner=%s, host=%s, since=%s, units=%d, capacity=%d]"
        .formatted(owner, host, since, units, capacity);
  }
}
