/**
 * How a server of any kind is started, paused, stopped and killed where it runs
 * ({@code ServerControl}): as a process of this machine ({@code ServerProcess}, {@code ServerRun}),
 * in a container, or not at all since it was given.
 */
@NullMarked
package dev.interlock.testservers.internal.control;

import org.jspecify.annotations.NullMarked;
