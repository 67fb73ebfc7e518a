package dev.interlock.spi;

import dev.interlock.LockException;
import java.time.Duration;

/** The answer to a {@link Renewal}. */
public sealed interface RenewalResult {

  /**
   * It is held, and lasts for at least the lease from some moment between the call and the answer.
   *
   * @param fencingToken the token of the hold, so that a queued attempt learns of a grant that it
   *     missed; 0 where the provider is not FENCED
   * @param tokens how many were reserved
   */
  record Held(long fencingToken, int tokens) implements RenewalResult {}

  /**
   * It still waits.
   *
   * @param recheck when to renew it again at the latest
   */
  record Queued(Duration recheck) implements RenewalResult {}

  /** The server does not know it: it expired, was forced out, or the state was lost. */
  record Gone() implements RenewalResult {}

  /**
   * This one could not be asked about, or was not answered; it says nothing of the others of the
   * batch.
   *
   * @param error as the backend would have thrown it
   */
  record Failed(LockException error) implements RenewalResult {}
}
