/**
 * What a client asks of locks: by single statements where nobody waits, by transactions otherwise.
 */
@NullMarked
package dev.interlock.mysql.internal.backend;

import org.jspecify.annotations.NullMarked;
