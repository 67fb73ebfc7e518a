/**
 * The engine: what every provider gets from this module.
 * {@link dev.interlock.internal.engine.EngineClient} joins the parts; each of the others has one
 * purpose and knows no provider.
 *
 * <p>The way of an acquisition: {@code EngineClient} makes a {@code Waiter}; {@code Contention}
 * sends its attempts, one waiter of a name at a time unless it is fair; a grant becomes a
 * {@code Hold} in {@code Holds}; {@code RemoteHold} keeps it valid through the timer and the
 * renewals of {@code dev.interlock.internal.running}; the last release goes to another waiter of
 * this client, or to the server; {@code Leftovers} removes what a wait that ended otherwise may
 * have left. What the server says unasked comes in through {@code ServerEvents};
 * {@code ServerQueue} keeps entries in its queues alive.
 */
@NullMarked
package dev.interlock.internal.engine;

import org.jspecify.annotations.NullMarked;
