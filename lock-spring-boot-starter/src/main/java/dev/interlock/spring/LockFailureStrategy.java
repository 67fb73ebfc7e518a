package dev.interlock.spring;

import dev.interlock.LockException;

/**
 * What the callers of {@link Locked} methods get when a lock could not be had, such as an exception
 * of the application that its web layer turns into 409 or 503. A bean of this type holds for all of
 * them. The method has not run. Not asked where the call is skipped, falls back or runs unguarded,
 * and not for a lease that was lost meanwhile. Called on the caller's thread, or for a reactive
 * method on one that must not be blocked. Thread-safe.
 */
@FunctionalInterface
public interface LockFailureStrategy {

  /**
   * Makes the exception.
   *
   * @param call the call
   * @param failure {@link dev.interlock.LockTimeoutException} if another holds the lock,
   *     {@link dev.interlock.BackendUnavailableException} or
   *     {@link dev.interlock.OutcomeUnknownException} if the server is at fault, another
   *     {@link LockException} if the wait was interrupted
   * @return what the caller gets: an exception with this one as its cause, or this one itself
   */
  RuntimeException failed(LockedCall call, LockException failure);
}
