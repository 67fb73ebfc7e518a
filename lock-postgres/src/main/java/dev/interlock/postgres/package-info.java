/**
 * Locks on PostgreSQL. {@link dev.interlock.postgres.PostgresLocks} is the entry for those who have
 * a pool of their own; everybody else opens {@code postgres://user:password@host/database}.
 */
@NullMarked
package dev.interlock.postgres;

import org.jspecify.annotations.NullMarked;
