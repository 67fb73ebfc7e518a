/** The operators' commands: what is locked, by whom, and how to take it away. */
@NullMarked
package dev.interlock.cli;

import org.jspecify.annotations.NullMarked;
