/** The command {@code demo}. */
@NullMarked
package dev.interlock.compare.demo;

import org.jspecify.annotations.NullMarked;
