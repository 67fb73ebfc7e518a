/** Runs rules: time limits, clean-up, verdicts. */
@NullMarked
package dev.interlock.tck.internal.run;

import org.jspecify.annotations.NullMarked;
