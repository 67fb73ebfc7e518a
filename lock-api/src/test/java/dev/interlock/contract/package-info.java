/** What every provider's locks must do: tests that each provider's own test extends. */
@NullMarked
package dev.interlock.contract;

import org.jspecify.annotations.NullMarked;
