package dev.interlock.spring.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * Work under a lease, on the current thread.
 *
 * @param <T> its result
 * @param <E> what it throws
 */
public interface LockedWork<T extends @Nullable Object, E extends Throwable> {

  T run() throws E;

  /**
   * Runs work within its scope. After a normal return the lock is still held; after a failure it is
   * not.
   *
   * @throws dev.interlock.LeaseLostException if the work failed and its lease was lost
   */
  static <T extends @Nullable Object, E extends Throwable> T run(
      LeaseScope scope, Ending ending, LockedWork<T, E> work) throws E {
    T result;
    try (scope) {
      result = work.run();
    } catch (Throwable e) {
      ending.endAfter(e);
      throw e;
    }
    return result;
  }
}
