/** The kit and its settings, and the commands {@code tck} and {@code history}. */
@NullMarked
package dev.interlock.compare.tck;

import org.jspecify.annotations.NullMarked;
