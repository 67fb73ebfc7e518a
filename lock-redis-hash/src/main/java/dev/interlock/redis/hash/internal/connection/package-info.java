/**
 * Where the connections to Redis come from: one server, a Sentinel set, a cluster, or a client that
 * the application owns. When one is given up, and how a fault on it is reported.
 */
@NullMarked
package dev.interlock.redis.hash.internal.connection;

import org.jspecify.annotations.NullMarked;
