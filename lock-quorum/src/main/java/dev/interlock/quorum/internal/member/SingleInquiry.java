package dev.interlock.quorum.internal.member;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks at once, on the calling thread, what is asked of this. */
record SingleInquiry(LockBackend member) implements Inquiry {
  @Override
  public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
    return CompletableFuture.completedFuture(member.attempt(attempt));
  }

  @Override
  public CompletableFuture<ReleaseResult> release(Release release) {
    return CompletableFuture.completedFuture(HandOffBackend.release(member, release));
  }

  @Override
  public CompletableFuture<RenewalResult> renew(Renewal renewal) {
    return CompletableFuture.completedFuture(
        RenewalAnswers.collect(member, List.of(renewal)).get(0));
  }

  @Override
  public CompletableFuture<Optional<HoldInfo>> mark() {
    return CompletableFuture.completedFuture(member.inspect(Memory.MARK));
  }
}
