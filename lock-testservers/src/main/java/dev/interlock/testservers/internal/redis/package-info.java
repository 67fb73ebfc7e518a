/**
 * Redis servers: their sources ({@code RedisSources}), what runs in each, commands, and the
 * transactions that are made to fail.
 */
@NullMarked
package dev.interlock.testservers.internal.redis;

import org.jspecify.annotations.NullMarked;
