package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/**
 * An entry of this client, addressed by its primary key. Statements that go through the index of
 * hold ids would lock in another order than a turn, and meet it in a deadlock.
 *
 * @param name the lock
 * @param at the lock's place
 * @param kind {@link Entry#SHARE} or {@link Entry#WAITER}
 * @param ticket its ticket
 * @param id its hold
 */
record KnownEntry(String name, Place at, int kind, long ticket, HoldId id) {}
