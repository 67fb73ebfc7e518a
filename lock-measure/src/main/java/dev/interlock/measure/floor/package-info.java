/** What a lock costs at least on a server: nothing is left to leave out. */
@NullMarked
package dev.interlock.measure.floor;

import org.jspecify.annotations.NullMarked;
