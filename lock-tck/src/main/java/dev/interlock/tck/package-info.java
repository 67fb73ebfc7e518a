/**
 * The compatibility kit for lock backends: extend {@link dev.interlock.tck.LockTck} in a JUnit
 * test, or run {@link dev.interlock.tck.TckRunner} from a program. The rules are those of SPEC.md.
 */
@NullMarked
package dev.interlock.tck;

import org.jspecify.annotations.NullMarked;
