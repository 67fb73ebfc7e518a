package dev.interlock.spi;

import java.time.Duration;

/** The answer to an {@link Attempt}. */
public sealed interface AttemptResult {

  /**
   * The lock is held by this attempt, for its lease, from some moment between the call and the
   * answer.
   *
   * @param fencingToken the first of the tokens; 0 where the provider is not FENCED
   * @param tokens how many were reserved: 1, or up to as many as asked for
   */
  record Granted(long fencingToken, int tokens) implements AttemptResult {}

  /**
   * The lock is held by another. The engine attempts again after a wake-up, or when the time is
   * over.
   *
   * @param recheck when to look again at the latest: no later than the holder's lease ends
   */
  record Busy(Duration recheck) implements AttemptResult {}

  /**
   * The lock is held by another and the attempt stands in the server's queue. It will be granted by
   * somebody's release; the engine keeps the entry alive with {@link Renewal}s.
   *
   * @param position how many are before it, or -1 if that is not known cheaply
   * @param recheck when the engine must renew the entry at the latest
   */
  record Queued(int position, Duration recheck) implements AttemptResult {}
}
