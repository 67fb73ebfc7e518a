/**
 * Strictly fair locks on MySQL and MariaDB that survive a restart of the server.
 *
 * <p>{@link dev.interlock.mysql.MysqlLocks} takes an application's own pool; otherwise
 * {@code Locks.open("mysql://user:password@host/database")} is all that is needed.
 */
@NullMarked
package dev.interlock.mysql;

import org.jspecify.annotations.NullMarked;
