/**
 * What the SQL providers share, whatever the database: how the work of one client on one lock
 * becomes few transactions, which server and connections they run on, how they are repeated, and
 * how often one who waits looks by itself. Internal to Interlock: applications do not use this
 * package, and it may change with every version.
 */
@NullMarked
package dev.interlock.sql.support;

import org.jspecify.annotations.NullMarked;
