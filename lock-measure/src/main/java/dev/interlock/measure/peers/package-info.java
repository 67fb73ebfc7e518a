/**
 * Locks of other libraries. Everything is passed straight on: waiting, renewal, expiry and errors
 * are those of the library.
 */
@NullMarked
package dev.interlock.measure.peers;

import org.jspecify.annotations.NullMarked;
