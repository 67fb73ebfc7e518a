package dev.interlock.spi;

import java.time.Duration;

/**
 * One entry of a batch that keeps holds and queue entries alive.
 *
 * @param name the lock
 * @param id the hold, or the queued attempt
 * @param lease the hold must last at least this long from now; for a queued attempt, the lease to
 *     have once granted
 * @param queued the engine believes that this is a queue entry
 */
public record Renewal(String name, HoldId id, Duration lease, boolean queued) {}
