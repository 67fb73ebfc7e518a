/**
 * One lock, its holders and its queue, as a transaction reads them under the row lock, and what the
 * transaction makes of them. Sends nothing.
 */
@NullMarked
package dev.interlock.mysql.internal.queue;

import org.jspecify.annotations.NullMarked;
