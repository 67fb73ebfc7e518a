/**
 * Locks in Redis, the simple way: {@code SET NX PX} with a fencing token, compare-and-delete in
 * Lua, and a message to the first waiter when a lock is freed.
 *
 * <p>Open it by URI, {@code redis-setnx://[user:password@]host[:port][/database][?option=value]}
 * (see {@link dev.interlock.redis.setnx.RedisSetnxOptions}), several hosts with
 * {@code topology=sentinel} or {@code topology=cluster}, or over a pool that the application owns
 * with {@link dev.interlock.redis.setnx.RedisSetnxLocks}.
 */
@NullMarked
package dev.interlock.redis.setnx;

import org.jspecify.annotations.NullMarked;
