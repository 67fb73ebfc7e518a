package dev.interlock.spi;

import java.time.Duration;

/**
 * A queued attempt was granted by somebody's release.
 *
 * @param name the lock
 * @param id the attempt
 * @param fencingToken the first of its tokens; 0 where the provider is not FENCED
 * @param tokens how many were reserved
 * @param lease how long the server holds it for the waiter unless it is confirmed by a renewal or a
 *     repeated attempt; may be shorter than the lease that was asked for
 */
public record Grant(String name, HoldId id, long fencingToken, int tokens, Duration lease) {}
