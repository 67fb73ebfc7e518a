package dev.interlock;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A pair of locks of one name: many threads, of any JVM, read together, or one writes. Both belong
 * to the thread that locked them, and are re-entrant by it, like
 * {@link java.util.concurrent.locks.ReentrantReadWriteLock}. Get it from
 * {@link LockClient#readWriteLock}.
 *
 * <ul>
 *   <li>Readers and writers stand in one queue, in the order of their arrival. No reader passes a
 *       writer that waits, and readers that stand behind one another come in together.
 *   <li>A thread that reads may read again though a writer waits.
 *   <li>A thread that writes may also lock for reading, and then unlock the write lock: it goes on
 *       as a reader, and no writer comes between (downgrade).
 *   <li>A thread that reads and does not write must not ask for the write lock, for it would wait
 *       for itself: {@link IllegalStateException}, before anything is sent (upgrade).
 *   <li>Each hold has its own fencing token. A writer's is larger than those of all holds before.
 * </ul>
 *
 * <p>Thread-safe. Does no I/O itself; its locks behave as {@link DistributedLock} says.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

  /**
   * Returns the lock for reading.
   *
   * @return the current thread's view
   */
  @Override
  DistributedLock readLock();

  /**
   * Returns the lock for writing. It is the same lock as {@link LockClient#lock} of this name,
   * except that it keeps the order of arrival.
   *
   * @return the current thread's view
   */
  @Override
  DistributedLock writeLock();
}
