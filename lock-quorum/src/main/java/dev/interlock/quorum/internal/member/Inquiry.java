package dev.interlock.quorum.internal.member;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What one thread asks of a member, alone or together with others. For one thread. */
public interface Inquiry {

  /** Asks for a lock, without patience. */
  CompletableFuture<AttemptResult> attempt(Attempt attempt);

  /** Gives a lock up. */
  CompletableFuture<ReleaseResult> release(Release release);

  /** Renews a hold. */
  CompletableFuture<RenewalResult> renew(Renewal renewal);

  /** Looks at the member's mark, behind every attempt of this inquiry. */
  CompletableFuture<Optional<HoldInfo>> mark();
}
