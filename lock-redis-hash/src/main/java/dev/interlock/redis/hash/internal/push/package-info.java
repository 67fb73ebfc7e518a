/**
 * How a client hears that one of its waiters has the lock: the connections that it listens on, the
 * messages, and when a hold began that a message tells of.
 */
@NullMarked
package dev.interlock.redis.hash.internal.push;

import org.jspecify.annotations.NullMarked;
