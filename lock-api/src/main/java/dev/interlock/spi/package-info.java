/**
 * What a backend author implements: {@link dev.interlock.spi.LockProvider} and
 * {@link dev.interlock.spi.LockBackend}. The engine in this module does the rest for every
 * provider: waiting, re-entry, renewal, validity, loss signals, clean-up.
 */
@NullMarked
package dev.interlock.spi;

import org.jspecify.annotations.NullMarked;
