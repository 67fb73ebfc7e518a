package dev.interlock.bench;

/** A lock as one thread uses it. Not thread-safe. */
interface SectionLock {

  /** Waits, without limit, until this thread holds the lock. */
  void lock() throws InterruptedException;

  void unlock();
}
