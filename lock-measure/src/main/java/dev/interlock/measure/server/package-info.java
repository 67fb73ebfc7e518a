/** The servers that locks are measured on: where they are, and what they say of themselves. */
@NullMarked
package dev.interlock.measure.server;

import org.jspecify.annotations.NullMarked;
