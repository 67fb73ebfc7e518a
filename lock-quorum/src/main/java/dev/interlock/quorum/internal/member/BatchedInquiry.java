package dev.interlock.quorum.internal.member;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Gathers what is asked; one look at the mark serves all. */
final class BatchedInquiry implements Inquiry {
  private final BatchBackend.Batch batch;
  private final CompletableFuture<Optional<HoldInfo>> mark = new CompletableFuture<>();
  private boolean looks;

  BatchedInquiry(BatchBackend member) {
    this.batch = member.batch();
  }

  @Override
  public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
    looks = true;
    return batch.attempt(attempt);
  }

  @Override
  public CompletableFuture<ReleaseResult> release(Release release) {
    return batch.release(release);
  }

  @Override
  public CompletableFuture<RenewalResult> renew(Renewal renewal) {
    return batch.renew(renewal);
  }

  @Override
  public CompletableFuture<Optional<HoldInfo>> mark() {
    looks = true;
    return mark;
  }

  /** Sends it if that can be done at once; see {@link BatchBackend.Batch#send}. */
  boolean send() {
    look();
    return batch.send();
  }

  /** Waits for the answers for some time; see {@link BatchBackend.Batch#await}. */
  boolean await(long nanos) {
    return batch.await(nanos);
  }

  /** Blocks until all is answered. */
  void run() {
    look();
    batch.run();
  }

  /** Adds the look, once. */
  private void look() {
    if (looks) {
      looks = false;
      var unused = batch.inspect(Memory.MARK).whenComplete((found, error) -> {
        if (error == null) {
          mark.complete(found);
        } else {
          mark.completeExceptionally(error);
        }
      });
    }
  }
}
