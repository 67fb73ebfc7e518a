package dev.interlock.measure;

import java.util.List;

/** One open client of a measured library whose locks are held in parts. Thread-safe. */
public interface CountedClient extends AutoCloseable {

  /** Returns a handle for one thread for each way to hold the lock, in the scenario's order. */
  List<SectionLock> ways(String name);

  @Override
  void close();
}
