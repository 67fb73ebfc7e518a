package dev.interlock.spring;

import dev.interlock.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Work that a {@link LockTemplate} does under a lock.
 *
 * @param <T> its result
 * @param <E> what it throws
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Exception> {

  /**
   * Does the work.
   *
   * @param lease the lock, with its fencing token; released by the template
   * @return the result
   * @throws E if the work fails
   */
  T doLocked(Lease lease) throws E;
}
