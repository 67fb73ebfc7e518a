/** Recorded holds, and the checkers that judge them. */
@NullMarked
package dev.interlock.tck.internal.history;

import org.jspecify.annotations.NullMarked;
