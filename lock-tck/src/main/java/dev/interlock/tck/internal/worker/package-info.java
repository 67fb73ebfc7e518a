/** The JVMs that the kit forks, and what runs in them. */
@NullMarked
package dev.interlock.tck.internal.worker;

import org.jspecify.annotations.NullMarked;
