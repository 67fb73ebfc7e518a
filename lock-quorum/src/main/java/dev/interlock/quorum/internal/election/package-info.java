/** How an attempt gets a lock: whom it asks, which votes count, and which fencing token it has. */
@NullMarked
package dev.interlock.quorum.internal.election;

import org.jspecify.annotations.NullMarked;
