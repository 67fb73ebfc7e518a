/**
 * The statements on the tables and the DDL of these, how statements run on a connection, and those
 * that only look.
 */
@NullMarked
package dev.interlock.mysql.internal.statements;

import org.jspecify.annotations.NullMarked;
