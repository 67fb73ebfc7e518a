/**
 * Locks of other libraries behind the kit's interface. Everything is passed straight on: waiting,
 * renewal, expiry and errors are those of the library.
 */
@NullMarked
package dev.interlock.compare.peers;

import org.jspecify.annotations.NullMarked;
