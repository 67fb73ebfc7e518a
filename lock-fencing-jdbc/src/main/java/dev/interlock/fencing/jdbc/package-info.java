/**
 * Fencing where the resource is a database: a write under a lease that has had a successor is
 * refused within the transaction that would do it.
 */
@NullMarked
package dev.interlock.fencing.jdbc;

import org.jspecify.annotations.NullMarked;
