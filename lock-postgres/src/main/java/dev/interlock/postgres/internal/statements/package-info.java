/**
 * The statements on the tables and the DDL of these, how statements run on a connection, by which
 * of them a step is done, and those that only look.
 */
@NullMarked
package dev.interlock.postgres.internal.statements;

import org.jspecify.annotations.NullMarked;
