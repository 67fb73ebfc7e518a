package dev.interlock;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that belongs to the thread that locked it, and is re-entrant by it, like
 * {@link java.util.concurrent.locks.ReentrantLock}. All views of one name from one
 * {@link LockClient} are the same lock, and equal.
 *
 * <p>A wait that is over or interrupted has left the server's queue when its call returns; only a
 * server that does not answer within half a second hears of it later, in the background.
 *
 * <p>Thread-safe. Locking blocks as {@link Lock} says. Locks taken without an explicit lease get
 * the client's default lease and are renewed until unlocked; so {@link #lock()} on a provider that
 * is not {@link Capability#RENEWABLE} throws {@link UnsupportedCapabilityException}. Every method
 * that locks may throw {@link BackendUnavailableException} or {@link OutcomeUnknownException}. A
 * thread that ends without unlocking leaves a lock that is renewed no more.
 */
public interface DistributedLock extends Lock {

  /**
   * Locks for a fixed lease that is not renewed.
   *
   * @param wait how long to wait at the most; zero for one attempt
   * @param lease how long the lock is held unless unlocked before, from 10 ms to 365 days
   * @return true if the lock is held by the current thread; false once the wait is over
   * @throws InterruptedException if interrupted before or while waiting; nothing is left behind
   * @throws IllegalArgumentException if the wait is negative or the lease is out of range
   */
  boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

  /**
   * Tells, without I/O, whether the current thread certainly holds this lock.
   *
   * @return false once the lease has passed or was lost
   */
  boolean isHeldByCurrentThread();

  /**
   * Returns how many times the current thread must unlock. Does no I/O.
   *
   * @return the number of entries; 0 when it does not hold the lock
   */
  int holdCount();

  /**
   * Returns the current thread's lease. Does no I/O. It stands for the entry that is the innermost
   * now: releasing it takes that entry back, as {@link #unlock()} does, and is likewise allowed to
   * this thread only. Once that entry was taken back, also by {@code unlock()}, it is not valid,
   * {@link Lease#close()} does nothing, and no outer entry is touched.
   *
   * @return the lease, with the fencing token and the loss signal
   * @throws IllegalMonitorStateException if the current thread does not hold this lock
   */
  Lease lease();

  /**
   * Gives up one entry; the last one frees the lock.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold this lock, also when
   *     it has lost it
   * @throws LeaseLostException if the server says that the hold was gone
   * @throws OutcomeUnknownException if no answer came; the hold is removed in the background
   */
  @Override
  void unlock();

  /**
   * Not supported: a condition has no meaning across JVMs.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  Condition newCondition();
}
