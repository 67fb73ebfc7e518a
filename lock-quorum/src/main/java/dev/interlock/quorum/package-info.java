/**
 * Locks that a majority, or all, of several independent servers grant. Applications use
 * {@link dev.interlock.Locks} with a {@code quorum://} URI, or
 * {@link dev.interlock.quorum.QuorumLocks}.
 */
@NullMarked
package dev.interlock.quorum;

import org.jspecify.annotations.NullMarked;
