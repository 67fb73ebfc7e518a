package dev.interlock.quorum;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What one thread asks of a member, alone or together with others. For one thread. */
interface Inquiry {

  /** Asks for a lock, without patience. */
  CompletableFuture<AttemptResult> attempt(Attempt attempt);

  /** Gives a lock up. */
  CompletableFuture<ReleaseResult> release(Release release);

  /** Looks at the member's mark, behind every attempt of this inquiry. */
  CompletableFuture<Optional<HoldInfo>> mark();

  /** Asks at once, on the calling thread, what is asked of this. */
  record Alone(LockBackend member) implements Inquiry {
    @Override
    public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
      return CompletableFuture.completedFuture(member.attempt(attempt));
    }

    @Override
    public CompletableFuture<ReleaseResult> release(Release release) {
      return CompletableFuture.completedFuture(HandOffBackend.release(member, release));
    }

    @Override
    public CompletableFuture<Optional<HoldInfo>> mark() {
      return CompletableFuture.completedFuture(member.inspect(Memory.MARK));
    }
  }

  /** Gathers what is asked; one look at the mark serves all. */
  final class Together implements Inquiry {
    private final BatchBackend.Batch batch;
    private final CompletableFuture<Optional<HoldInfo>> mark = new CompletableFuture<>();
    private boolean looks;

    Together(BatchBackend member) {
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
    public CompletableFuture<Optional<HoldInfo>> mark() {
      looks = true;
      return mark;
    }

    /** Blocks until all is answered. */
    void run() {
      if (looks) {
        var unused = batch.inspect(Memory.MARK).whenComplete((found, error) -> {
          if (error == null) {
            mark.complete(found);
          } else {
            mark.completeExceptionally(error);
          }
        });
      }
      batch.run();
    }
  }
}
