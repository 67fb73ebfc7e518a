package dev.interlock.measure;

/** One open client of a measured library. Thread-safe. */
public interface SectionClient extends AutoCloseable {

  /** Returns a handle for one thread. */
  SectionLock lock(String name);

  @Override
  void close();
}
