/** What the driver makes by its name, and so has to be public. Not for applications. */
@NullMarked
package dev.interlock.postgres.internal;

import org.jspecify.annotations.NullMarked;
