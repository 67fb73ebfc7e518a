package dev.interlock.bench;

/** One open client of a measured library. Thread-safe. */
interface SubjectClient extends AutoCloseable {

  /** Returns a handle for one thread. */
  SectionLock lock(String name);

  @Override
  void close();
}
