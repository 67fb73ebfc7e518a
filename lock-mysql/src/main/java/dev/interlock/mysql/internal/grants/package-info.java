/** Who of this client waits, how it hears of a grant by another client, and how it wakes others. */
@NullMarked
package dev.interlock.mysql.internal.grants;

import org.jspecify.annotations.NullMarked;
