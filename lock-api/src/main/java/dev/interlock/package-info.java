/**
 * Distributed locks behind one API. Start at {@link dev.interlock.Locks}.
 *
 * <p>Time in this package is a {@link java.time.Duration}; a lease is judged by the server's clock
 * alone, its validity in this JVM by {@link System#nanoTime()}. Wall clocks and time zones of
 * clients have no influence.
 */
@NullMarked
package dev.interlock;

import org.jspecify.annotations.NullMarked;
