/**
 * MySQL, MariaDB and PostgreSQL servers: their sources ({@code MysqlSources},
 * {@code PostgresSources}), the programs and how they are run, statements.
 */
@NullMarked
package dev.interlock.testservers.internal.database;

import org.jspecify.annotations.NullMarked;
