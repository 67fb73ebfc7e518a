/** What is measured of a provider, and how. */
@NullMarked
package dev.interlock.compare.figures;

import org.jspecify.annotations.NullMarked;
