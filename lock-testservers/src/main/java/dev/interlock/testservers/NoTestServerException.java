package dev.interlock.testservers;

import java.util.List;

/**
 * No source has a server that will do. A server that is there but does not start is no such case.
 */
public final class NoTestServerException extends TestServerException {
  private static final long serialVersionUID = 1L;

  private final String reasons;

  /**
   * Says what was tried.
   *
   * @param product what was looked for
   * @param misses each source with what it lacks
   * @param remedy how to give one, as sentences
   */
  public NoTestServerException(String product, List<String> misses, String remedy) {
    super("No " + product + " server for this test was found.\n  " + String.join("\n  ", misses)
        + "\n" + remedy);
    this.reasons = String.join("; ", misses);
  }

  /** What each source lacks, in one line. */
  public String reasons() {
    return reasons;
  }
}
