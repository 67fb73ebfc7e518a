package dev.interlock.spring;

/** Who owns the lock of a {@link Locked} method. */
public enum LockScope {
  /**
   * A call excludes those of all other threads. One that is nested in a call of the same name at
   * the same client, on the same thread, enters the lock again: it works under the outer call's
   * lease, with its fencing token, and the lock is released when the last of them has ended. Within
   * a running transaction the transaction is the owner, and its calls enter again.
   *
   * <p>Where waiting could never succeed, the lock is busy at once: on a thread that holds the name
   * by a {@code Lock}, for an {@link #APPLICATION}, or by another transaction.
   */
  THREAD,
  /**
   * The application instance is the owner: its calls, from any thread, enter together. A call of
   * {@link #THREAD} that is nested in one of them finds the lock busy at once, and the other way
   * around.
   */
  APPLICATION
}
