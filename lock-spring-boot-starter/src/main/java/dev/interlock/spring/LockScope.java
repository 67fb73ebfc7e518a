package dev.interlock.spring;

/** Who owns the lock of a {@link Locked} method. */
public enum LockScope {
  /**
   * Every call is its own owner and excludes all others. A call that is nested in one of the same
   * name, on the same thread, finds the lock busy at once, since waiting could never succeed; so
   * does one on a thread that holds the name by a {@code Lock}. Within one running transaction the
   * transaction is the owner, and its calls enter again.
   */
  THREAD,
  /** The application instance is the owner: its calls, from any thread, enter together. */
  APPLICATION
}
