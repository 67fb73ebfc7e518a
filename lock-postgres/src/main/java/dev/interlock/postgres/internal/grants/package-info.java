/**
 * Who of this client waits, how it hears of a grant by another client, and how it tells others of
 * theirs.
 */
@NullMarked
package dev.interlock.postgres.internal.grants;

import org.jspecify.annotations.NullMarked;
