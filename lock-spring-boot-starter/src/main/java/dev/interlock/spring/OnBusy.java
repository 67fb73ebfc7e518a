package dev.interlock.spring;

/** What a call of a {@link Locked} method does when the lock is held by another. */
public enum OnBusy {
  /** Throws {@link dev.interlock.LockTimeoutException}. */
  FAIL,
  /**
   * Returns without calling the method: an empty optional, collection, map, array or publisher, a
   * stage completed with null, the default of a primitive, and null otherwise.
   */
  SKIP,
  /** Calls the method that {@link Locked#fallback()} names. */
  FALLBACK
}
