/**
 * What the engine runs on: calls of the backend, threads, clocks and the one timer, renewals in
 * batches, clean-up, and what listeners are told. Nothing here knows what a wait or a hold is.
 */
@NullMarked
package dev.interlock.internal.running;

import org.jspecify.annotations.NullMarked;
