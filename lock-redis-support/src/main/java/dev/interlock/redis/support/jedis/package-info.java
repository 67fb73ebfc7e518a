/**
 * What the providers on Jedis share: connections for commands, calls and their failures, the
 * mailbox with its connection, and the value of a lock that is kept in one string. Jedis is an
 * optional dependency of this module, so the providers on other client libraries do not get it.
 * Internal to Interlock, as the package above.
 */
@NullMarked
package dev.interlock.redis.support.jedis;

import org.jspecify.annotations.NullMarked;
