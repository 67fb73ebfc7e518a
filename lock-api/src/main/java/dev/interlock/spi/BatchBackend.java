package dev.interlock.spi;

import dev.interlock.HoldInfo;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A backend that carries the questions of many threads to the server and back in one go. Nothing
 * here is needed for a correct backend: what is made of several backends asks the others one by
 * one.
 */
public interface BatchBackend extends LockBackend {

  /**
   * Begins a batch. Sends nothing yet.
   *
   * @return an empty batch
   */
  Batch batch();

  /**
   * Questions that are asked in one go, each with an answer of its own: what becomes of one changes
   * nothing for the others. An answer that does not come is an
   * {@link dev.interlock.OutcomeUnknownException} for its own question only. Filled and {@link #run
   * run} once, by one thread at a time; the answers come on that thread or on others.
   *
   * <p>Who does not want to hand it to another thread, and cannot wait for a server that is silent,
   * may {@link #send} it first, and {@link #await} the answers for a moment. Unless these have
   * come, the batch is still to be run, on any thread.
   */
  interface Batch {

    /**
     * Adds an attempt that does not wait; see {@link LockBackend#attempt}.
     *
     * @param attempt without patience
     * @return granted or busy, or the {@link dev.interlock.LockException} that says why not
     */
    CompletableFuture<AttemptResult> attempt(Attempt attempt);

    /**
     * Adds a release; see {@link HandOffBackend#release(Release)}.
     *
     * @param release the hold; no attempt goes along
     * @return what became of it, or the {@link dev.interlock.LockException} that says why not
     */
    CompletableFuture<ReleaseResult> release(Release release);

    /**
     * Adds a look at a lock, <em>behind</em> all attempts of this batch: the server answers it
     * after it has run the last of them for the last time, also where some had to be sent again.
     *
     * @param name the lock
     * @return empty when it is free
     */
    CompletableFuture<Optional<HoldInfo>> inspect(String name);

    /**
     * Adds what {@link LockBackend#renew} does with one renewal.
     *
     * @param renewal as there
     * @return what comes of it; fails with what a {@link RenewalResult.Failed} would tell
     */
    CompletableFuture<RenewalResult> renew(Renewal renewal);

    /**
     * Sends all if that can be done at once. Does not block.
     *
     * @return whether it was sent
     */
    default boolean send() {
      return false;
    }

    /**
     * Waits for the answers after {@link #send}.
     *
     * @param nanos how long at most, in nanoseconds
     * @return whether every question has its answer; then {@link #run} must not be called any more
     */
    default boolean await(long nanos) {
      return false;
    }

    /**
     * Sends all that was not sent, and blocks until every question has its answer, for a bounded
     * time. If it throws, that is the answer to those that have none.
     */
    void run();
  }
}
