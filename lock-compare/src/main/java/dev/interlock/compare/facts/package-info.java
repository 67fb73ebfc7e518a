/**
 * What happens to a lock when something goes wrong or comes in great numbers: seen, not promised.
 */
@NullMarked
package dev.interlock.compare.facts;

import org.jspecify.annotations.NullMarked;
