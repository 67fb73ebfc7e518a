/**
 * What the Redis providers share, whatever client library they use: options, key layout, mailbox
 * messages, scripts, the server's clock. Internal to Interlock: applications do not use this
 * package, and it may change with every version.
 */
@NullMarked
package dev.interlock.redis.support;

import org.jspecify.annotations.NullMarked;
