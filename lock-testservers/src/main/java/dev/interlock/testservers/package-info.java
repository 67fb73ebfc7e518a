/**
 * Real servers for tests: found or started on demand, faulted at will, gone when the tests are.
 *
 * <p>{@link dev.interlock.testservers.TestRedis}, {@link dev.interlock.testservers.TestMysql} and
 * {@link dev.interlock.testservers.TestPostgres} are the entries. What is here is what tests see,
 * and how several servers stand together; below {@code internal} is where each server comes from
 * and how it is run.
 */
@NullMarked
package dev.interlock.testservers;

import org.jspecify.annotations.NullMarked;
