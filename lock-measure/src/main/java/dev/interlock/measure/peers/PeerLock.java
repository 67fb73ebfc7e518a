package dev.interlock.measure.peers;

import dev.interlock.measure.SectionLock;
import java.time.Duration;

/**
 * A library's lock of one name, as its calling thread uses it. Whatever a method cannot express
 * throws {@link dev.interlock.tck.NotOfferedException}; other exceptions are the library's.
 */
public interface PeerLock extends SectionLock {

  /** Waits without limit, not to be interrupted; the library chooses the lease. */
  @Override
  void lock();

  /** Waits without limit; the library chooses the lease. */
  void lockInterruptibly() throws InterruptedException;

  /** Waits without limit. */
  void lockInterruptibly(Duration lease) throws InterruptedException;

  /** Tries once; the library chooses the lease. */
  boolean tryLock();

  /** Waits; the library chooses the lease. */
  boolean tryLock(Duration wait) throws InterruptedException;

  boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

  /**
   * Gives one entry back.
   *
   * @throws IllegalMonitorStateException if the library says that there was none
   */
  @Override
  void unlock();

  boolean isHeldByCurrentThread();

  int holdCount();

  /** How long the thread's hold lasts at least if nobody renews it; zero if there is none. */
  Duration remaining();

  /** The token of the thread's last entry. */
  long token();
}
