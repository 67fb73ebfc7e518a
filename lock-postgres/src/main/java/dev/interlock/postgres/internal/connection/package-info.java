/**
 * Connections to the server: pgjdbc, the pool, what there is to know of the server at the other
 * end, and what its errors mean.
 */
@NullMarked
package dev.interlock.postgres.internal.connection;

import org.jspecify.annotations.NullMarked;
