/** What goes between the engine and a backend: noted for the evidence of a failure. */
@NullMarked
package dev.interlock.tck.internal.spi;

import org.jspecify.annotations.NullMarked;
