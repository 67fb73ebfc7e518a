/** Compares the providers: runs the kit over them on real servers, measures, and reports. */
@NullMarked
package dev.interlock.compare;

import org.jspecify.annotations.NullMarked;
