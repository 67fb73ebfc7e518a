package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/**
 * A hold, addressed by its lock.
 *
 * @param at the lock
 * @param id the hold
 */
record KnownHold(Place at, HoldId id) {}
