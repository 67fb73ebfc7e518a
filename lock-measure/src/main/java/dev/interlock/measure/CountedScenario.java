package dev.interlock.measure;

import dev.interlock.Capability;
import java.util.List;

/**
 * Threads that hold parts of one lock together, as far as they fit. Thread {@code i} uses client
 * {@code i % clients}.
 *
 * @param id names it on the command line
 * @param description for people
 * @param threads how many threads lock and unlock
 * @param clients how many client instances, each with connections of its own, they share
 * @param capacity how much can be held at once
 * @param ways the ways to hold it; the first is the usual one
 * @param others every so manieth section of a thread takes the second way; 0 if there is none
 */
public record CountedScenario(
    String id,
    String description,
    int threads,
    int clients,
    int capacity,
    List<Way> ways,
    int others) {
  private static final int READERS = 1_000;
  private static final int PERMITS = 4;

  /** Nine of ten sections read. */
  public static final CountedScenario READ_WRITE = new CountedScenario(
      "readwrite",
      "32 threads on 2 clients, 90 % of the sections read",
      32,
      2,
      READERS,
      List.of(new Way("read", 1), new Way("write", READERS)),
      10);

  /** Four at once. */
  public static final CountedScenario SEMAPHORE = new CountedScenario(
      "semaphore",
      "32 threads on 2 clients, a permit of 4",
      32,
      2,
      PERMITS,
      List.of(new Way("permit", 1)),
      0);

  /**
   * A way to hold the lock.
   *
   * @param name for people
   * @param units how much of the capacity it takes
   */
  public record Way(String name, int units) {}

  /** Copies the list. */
  public CountedScenario {
    ways = List.copyOf(ways);
  }

  /** Whether permits are taken, and not a lock read or written. */
  public boolean isSemaphore() {
    return ways.size() == 1;
  }

  /** What a provider must declare. */
  public Capability needed() {
    return isSemaphore() ? Capability.PERMITS : Capability.SHARED;
  }

  /** Which way a section takes. Threads take the second way at different times. */
  int way(int thread, long section) {
    return others > 0 && (section + thread) % others == others - 1 ? 1 : 0;
  }
}
