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
   * {@link dev.interlock.OutcomeUnknownException} for its own question only. Filled and run once,
   * by one thread; the answers come on that thread or on others.
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
     * Sends all, and blocks until every question has its answer, for a bounded time. If it throws,
     * that is the answer to those that have none.
     */
    void run();
  }
}
