package dev.interlock.bench;

import java.util.concurrent.locks.Lock;

/** A lock of a library whose locks are {@link Lock}s owned by threads. */
final class JavaLock implements SectionLock {
  private final Lock lock;

  JavaLock(Lock lock) {
    this.lock = lock;
  }

  @Override
  @SuppressWarnings("LockNotBeforeTry") // The section is the caller's.
  public void lock() {
    lock.lock();
  }

  @Override
  public void unlock() {
    lock.unlock();
  }
}
