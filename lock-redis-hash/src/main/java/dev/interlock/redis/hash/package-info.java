/**
 * Locks in Redis with everything: a fair queue whose order holds across JVMs, direct hand-off from
 * a release to the next waiter, owners shared between JVMs. Over Lettuce.
 *
 * <p>Open it by URI,
 * {@code redis-hash://[user:password@]host[:port][,host...][/database][?option=value]} (see
 * {@link dev.interlock.redis.hash.RedisHashOptions}), or over a {@code RedisClient} that the
 * application owns with {@link dev.interlock.redis.hash.RedisHashLocks}.
 */
@NullMarked
package dev.interlock.redis.hash;

import org.jspecify.annotations.NullMarked;
