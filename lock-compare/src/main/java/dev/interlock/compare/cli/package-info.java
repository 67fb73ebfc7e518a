/** What the commands share. */
@NullMarked
package dev.interlock.compare.cli;

import org.jspecify.annotations.NullMarked;
