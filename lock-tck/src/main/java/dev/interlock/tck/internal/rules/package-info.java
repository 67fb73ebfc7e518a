/** The tests of the rules, one class for each group of SPEC.md. */
@NullMarked
package dev.interlock.tck.internal.rules;

import org.jspecify.annotations.NullMarked;
