/** Measures the subjects in turns, and what came of it. */
@NullMarked
package dev.interlock.bench.runs;

import org.jspecify.annotations.NullMarked;
