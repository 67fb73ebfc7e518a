/**
 * Work under a lease: how a call enters a lock ({@code LockGate}), what its thread holds meanwhile
 * ({@code LeaseScope}), and how the lock is given up when the work, those who share it and its
 * transaction have ended ({@code Ending}). Knows no annotation.
 */
@NullMarked
package dev.interlock.spring.internal.lease;

import org.jspecify.annotations.NullMarked;
