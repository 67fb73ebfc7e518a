/**
 * What the SQL providers share, whatever the database: how the work of one client on one lock
 * becomes few transactions, and which server and connections it runs on. Internal to Interlock:
 * applications do not use this package, and it may change with every version.
 */
@NullMarked
package dev.interlock.sql.support;

import org.jspecify.annotations.NullMarked;
