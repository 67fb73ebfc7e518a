package dev.interlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * Gives a hold up.
 *
 * @param name the lock
 * @param id the hold
 * @param next an attempt of the same client that waits for the same lock. A backend that can,
 *     treats it in the same atomic step, after the release and after those who waited before it,
 *     and so saves a round trip; one that cannot ignores it.
 */
public record Release(String name, HoldId id, @Nullable Attempt next) {}
