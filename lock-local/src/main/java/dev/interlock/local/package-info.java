/**
 * Locks within one JVM, for a quick start, for applications' own tests, and as the reference that
 * the kit compares with. {@code local://} opens it; {@link dev.interlock.local.LocalLocks} opens
 * one with a clock of the test's own.
 */
@NullMarked
package dev.interlock.local;

import org.jspecify.annotations.NullMarked;
