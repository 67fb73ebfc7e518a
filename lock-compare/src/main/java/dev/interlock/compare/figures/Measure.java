package dev.interlock.compare.figures;

/** The figures of the report, in its order. */
public enum Measure {
  ROUND_TRIPS_ACQUIRE(
      "roundTripsPerAcquire",
      "Round trips an acquire",
      2,
      "Free lock, one client. A TCP proxy before the server counts how often the client sent"
          + " something after it had been answered, on all its connections."),
  ROUND_TRIPS_RELEASE(
      "roundTripsPerRelease",
      "Round trips a release",
      2,
      "The same for the release, when nobody waits."),
  COMMANDS_PER_SECTION(
      "serverCommandsPerContendedSection",
      "Server commands a contended section",
      1,
      "16 threads of two clients in one JVM take one lock in turns, with an empty section. What the"
          + " server counts itself, commands inside scripts included. A client may pass a renewed"
          + " lock among its own threads without asking the server."),
  HAND_OFF_P50(
      "handOffP50Micros",
      "Hand-off p50 (µs)",
      0,
      "Two clients in one JVM take turns: from the call of release in one to the return of acquire"
          + " in the other, which was waiting. The holder keeps the lock for 10 to 110 ms after the"
          + " other has asked, the same series for all, so that a lock that is polled is released at"
          + " any moment of a poll. Median."),
  HAND_OFF_P99(
      "handOffP99Micros",
      "Hand-off p99 (µs)",
      0,
      "The same, 99th percentile, if there were 1,000 of them."),
  SECTIONS_1(
      "sectionsPerSecond1Thread",
      "Sections/s, 1 thread",
      0,
      "Acquire and release with an empty section, one thread of one client. Locks and floors are"
          + " measured one after the other and not in turns: no figure is a bound of another's."),
  SECTIONS_4(
      "sectionsPerSecond4Threads",
      "Sections/s, 4 threads",
      0,
      "4 threads of two clients in one JVM on one lock."),
  SECTIONS_16(
      "sectionsPerSecond16Threads",
      "Sections/s, 16 threads",
      0,
      "16 threads of two clients in one JVM on one lock."),
  WORST_WAIT("worstWaitMillis", "Worst wait (ms)", 1, "The longest acquire of those 16 threads."),
  JAIN(
      "jainIndex",
      "Jain index",
      3,
      "How evenly those 16 threads were served: 1 is equal, 1/16 is all for one."),
  SECTIONS_READ_WRITE(
      "readWriteSectionsPerSecond",
      "Read-write sections/s",
      0,
      "32 threads of two clients in one JVM on one read-write lock; nine of ten sections read. Of"
          + " redisson its RReadWriteLock."),
  SECTIONS_SEMAPHORE(
      "semaphoreSectionsPerSecond",
      "Semaphore sections/s",
      0,
      "32 threads of two clients in one JVM, each section with a permit of four. Of redisson its"
          + " RPermitExpirableSemaphore."),
  RECOVERY(
      "recoveryMillis",
      "Recovery after kill -9 (ms)",
      1,
      "A JVM that holds and renews a lease of 1 s gets SIGKILL, up to three of them together, each"
          + " with a lock of its own; from the end of its remaining lease, as the server told it"
          + " (counted from the question, so a round trip too long at the most), to the return of"
          + " acquire in another JVM. The worst of the rounds."),
  BYTES_LEFT(
      "bytesAfter10000Names",
      "Bytes left after 10,000 names",
      0,
      "After the kit's run, 10,000 more names are locked and released once; then what the server"
          + " says that all keys or rows of this run's namespace take up."),
  ENTRIES_LEFT(
      "entriesAfter10000Names", "Keys or rows left after 10,000 names", 0, "The same, counted.");

  private final String key;
  private final String title;
  private final int decimals;
  private final String method;

  Measure(String key, String title, int decimals, String method) {
    this.key = key;
    this.title = title;
    this.decimals = decimals;
    this.method = method;
  }

  /** The name in report.json. */
  public String key() {
    return key;
  }

  /** The name for people, with the unit. */
  public String title() {
    return title;
  }

  /** How many digits after the point mean something. */
  public int decimals() {
    return decimals;
  }

  /** How it is measured. */
  public String method() {
    return method;
  }
}
