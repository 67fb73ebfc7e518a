package dev.interlock.spi;

import dev.interlock.LockException;
import java.time.Duration;

/**
 * The answer to a {@link Renewal}: a {@link Grant}, {@link Queued}, {@link Gone} or {@link Failed}.
 */
public sealed interface RenewalResult
    permits Grant, RenewalResult.Queued, RenewalResult.Gone, RenewalResult.Failed {

  /**
   * It is held, and lasts for at least the lease from some moment between the call and the answer.
   *
   * @param renewal the renewal
   * @param fencingToken the token of the hold, so that a queued attempt learns of a grant that it
   *     missed; 0 where the provider is not FENCED
   * @return the answer
   */
  static Grant held(Renewal renewal, long fencingToken) {
    return Grant.of(renewal.name(), renewal.id(), fencingToken, renewal.lease());
  }

  /**
   * It still waits.
   *
   * @param recheck when to renew it again at the latest
   * @return the answer
   */
  static RenewalResult queued(Duration recheck) {
    return new Queued(recheck);
  }

  /**
   * The server does not know it: it expired, was forced out, or the state was lost.
   *
   * @return the answer
   */
  static RenewalResult gone() {
    return Gone.GONE;
  }

  /**
   * This one could not be asked about, or was not answered; it says nothing of the others of the
   * batch.
   *
   * @param error as the backend would have thrown it
   * @return the answer
   */
  static RenewalResult failed(LockException error) {
    return new Failed(error);
  }

  /** It still waits; see {@link RenewalResult#queued}. */
  final class Queued implements RenewalResult {
    private final Duration recheck;

    private Queued(Duration recheck) {
      this.recheck = recheck;
    }

    /**
     * Returns when to renew it again at the latest.
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

  /** The server does not know it; see {@link RenewalResult#gone}. */
  final class Gone implements RenewalResult {
    private static final Gone GONE = new Gone();

    private Gone() {}

    @Override
    public String toString() {
      return "Gone";
    }
  }

  /** It was not asked about or not answered; see {@link RenewalResult#failed}. */
  final class Failed implements RenewalResult {
    private final LockException error;

    private Failed(LockException error) {
      this.error = error;
    }

    /**
     * Returns what went wrong.
     *
     * @return as the backend would have thrown it
     */
    public LockException error() {
      return error;
    }

    @Override
    public String toString() {
      return "Failed[error=" + error + "]";
    }
  }
}
