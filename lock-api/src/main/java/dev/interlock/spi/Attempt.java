package dev.interlock.spi;

import java.time.Duration;

/**
 * One attempt to get a lock.
 *
 * @param name the lock
 * @param id the identity of the hold; the same in every repetition
 * @param owner the logical owner if {@code sharedOwner}, else a description of the holder for
 *     operators
 * @param sharedOwner the request named its owner: a provider with SHARED_OWNER lets it in beside a
 *     hold of the same owner whose attempt also named it, with that hold's fencing token
 * @param lease how long the hold lasts from when the server grants it
 * @param fair false allows a provider with FAIR to pass over those who wait
 * @param patience how long the caller is prepared to wait from now; zero for a single attempt,
 *     which must leave nothing on the server unless it is granted
 * @param tokens how many consecutive fencing tokens to reserve, at least 1
 */
public record Attempt(
    String name,
    HoldId id,
    String owner,
    boolean sharedOwner,
    Duration lease,
    boolean fair,
    Duration patience,
    int tokens) {

  /**
   * Tells whether the backend may note this attempt as a waiter.
   *
   * @return true if the caller is prepared to wait
   */
  public boolean waits() {
    return !patience.isZero();
  }
}
