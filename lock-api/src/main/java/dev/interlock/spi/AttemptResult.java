package dev.interlock.spi;

import java.time.Duration;

/** The answer to an {@link Attempt}: a {@link Grant}, {@link Busy} or {@link Queued}. */
public sealed interface AttemptResult permits Grant, AttemptResult.Busy, AttemptResult.Queued {

  /**
   * The lock is held by this attempt, for its lease, from some moment between the call and the
   * answer.
   *
   * @param attempt the attempt
   * @param fencingToken its fencing token; 0 where the provider is not FENCED
   * @return the answer
   */
  static Grant granted(Attempt attempt, long fencingToken) {
    return Grant.of(attempt.name(), attempt.id(), fencingToken, attempt.lease());
  }

  /**
   * The lock is held by another. The engine attempts again after a wake-up, or when the time is
   * over.
   *
   * @param recheck when to look again at the latest: no later than the holder's lease ends
   * @return the answer
   */
  static AttemptResult busy(Duration recheck) {
    return new Busy(recheck);
  }

  /**
   * The lock is held by another and the attempt stands in the server's queue. It will be granted by
   * somebody's release; the engine keeps the entry alive with {@link Renewal}s.
   *
   * @param recheck when the engine must renew the entry at the latest
   * @return the answer
   */
  static AttemptResult queued(Duration recheck) {
    return new Queued(recheck);
  }

  /** The lock is held by another; see {@link AttemptResult#busy}. */
  final class Busy implements AttemptResult {
    private final Duration recheck;

    private Busy(Duration recheck) {
      this.recheck = recheck;
    }

    /**
     * Returns when to look again at the latest.
     *
     * @return counted from the answer
     */
    public Duration recheck() {
      return recheck;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Busy busy && recheck.equals(busy.recheck);
    }

    @Override
    public int hashCode() {
      return recheck.hashCode();
    }

    @Override
    public String toString() {
      return "Busy[recheck=" + recheck + "]";
    }
  }

  /** The attempt stands in the server's queue; see {@link AttemptResult#queued}. */
  final class Queued implements AttemptResult {
    private final Duration recheck;

    private Queued(Duration recheck) {
      this.recheck = recheck;
    }

    /**
     * Returns when the entry must be renewed at the latest.
     *
     * @return counted from the answer
     */
    public Duration recheck() {
      return recheck;
    }

    @Override
    public String toString() {
      return "Queued[recheck=" + recheck + "]";
    }
  }
}
