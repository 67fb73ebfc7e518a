/**
 * Locks in Redis by {@code WATCH}, {@code GETEX}, {@code MULTI} and {@code EXEC}, without any
 * script: for servers whose users may not run scripts ({@code ACL -@scripting}).
 *
 * <p>Open it by URI, {@code redis-watch://[user:password@]host[:port][/database][?option=value]}
 * (see {@link dev.interlock.redis.watch.RedisWatchOptions}), several hosts with
 * {@code topology=sentinel} or {@code topology=cluster}, or over a pool that the application owns
 * with {@link dev.interlock.redis.watch.RedisWatchLocks}. Needs Redis 6.2 or later.
 */
@NullMarked
package dev.interlock.redis.watch;

import org.jspecify.annotations.NullMarked;
