package dev.interlock.spi;

import java.time.Duration;
import java.util.List;

/**
 * A queued attempt was granted by somebody's release.
 *
 * @param name the lock
 * @param id the attempt
 * @param fencingToken the first of its tokens; 0 where the provider is not FENCED
 * @param tokens how many were reserved
 * @param lease how long the server holds it for the waiter unless it is confirmed by a renewal or a
 *     repeated attempt; may be shorter than the lease that was asked for
 * @param heirs attempts of the same client that stand directly behind it in the server's queue, in
 *     order and with nobody between. The engine may pass the lock on to them without the server,
 *     each time with the next of the tokens, and names those in {@link Release#passed()}.
 */
public record Grant(
    String name, HoldId id, long fencingToken, int tokens, Duration lease, List<HoldId> heirs) {

  /** Copies the list. */
  public Grant {
    heirs = List.copyOf(heirs);
  }

  /**
   * Creates a grant that the client must not pass on.
   *
   * @param name the lock
   * @param id the attempt
   * @param fencingToken the first of its tokens
   * @param tokens how many were reserved
   * @param lease how long the server holds it for the waiter
   */
  public Grant(String name, HoldId id, long fencingToken, int tokens, Duration lease) {
    this(name, id, fencingToken, tokens, lease, List.of());
  }
}
