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
  static Queued queued(Duration recheck) {
    return new Queued(recheck, false);
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
    private final boolean ownerHolds;

    private Queued(Duration recheck, boolean ownerHolds) {
      this.recheck = recheck;
      this.ownerHolds = ownerHolds;
    }

    /**
     * Copies it with another answer to {@link #ownerHolds()}.
     *
     * @param holds whether the attempt's shared owner has a hold of the lock
     * @return the copy
     */
    public Queued withOwnerHolds(boolean holds) {
      return new Queued(recheck, holds);
    }

    /**
     * Returns when to renew it again at the latest.
     *
     * @return counted from the answer
     */
    public Duration recheck() {
      return recheck;
    }

    /**
     * Tells whether a hold of the lock is of the {@link Attempt#sharedOwner() shared owner} of the
     * attempt that waits, also one of another client. The attempt is then made again, since it may
     * be let in beside. A provider with SHARED_OWNER that never says so leaves its waiters behind.
     *
     * @return whether there is one
     */
    public boolean ownerHolds() {
      return ownerHolds;
    }

    @Override
    public String toString() {
      return "Queued[recheck=" + recheck + (ownerHolds ? ", ownerHolds" : "") + "]";
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
