/**
 * What the providers on Jedis share: connections for commands, the listening connection, calls and
 * their failures. Jedis is an optional dependency of this module, so the providers on other client
 * libraries do not get it. Internal to Interlock, as the package above.
 */
@NullMarked
package dev.interlock.redis.support.jedis;

import org.jspecify.annotations.NullMarked;
