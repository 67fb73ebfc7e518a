/** The statements on the tables and the DDL of these, and by which statements a step is done. */
@NullMarked
package dev.interlock.postgres.internal.statements;

import org.jspecify.annotations.NullMarked;
