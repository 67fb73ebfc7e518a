package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LostReason;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Watches when a holder is told that its lease is lost. */
final class Loss {
  private final CompletableFuture<LostReason> reason;
  private final CompletableFuture<Long> at;

  private Loss(CompletableFuture<LostReason> reason) {
    this.reason = reason;
    this.at = reason.thenApply(why -> System.nanoTime());
  }

  /** Begins to watch; empty if the library cannot tell. */
  static Optional<Loss> of(Lease lease) {
    return Offered.ask(lease::lost).map(lost -> new Loss(lost.toCompletableFuture()));
  }

  /** As {@link #await}, also where there is nothing to wait for. */
  static String told(
      Optional<Loss> loss, long start, long next, int seconds, Map<String, Double> figures)
      throws InterruptedException, ExecutionException {
    return loss.isPresent()
        ? loss.get().await(start, next, seconds, figures)
        : "the holder is not told, for the library has no notice of a loss";
  }

  /** Whether the holder was told. */
  boolean isTold() {
    return at.isDone();
  }

  /**
   * Waits for it.
   *
   * @param start since when the time counts
   * @param next when the lock had its next holder
   */
  private String await(long start, long next, int seconds, Map<String, Double> figures)
      throws InterruptedException, ExecutionException {
    try {
      LostReason why = reason.get(seconds, TimeUnit.SECONDS);
      double millis = Text.millis(at.join() - start);
      double both = Math.max(0, Text.millis(at.join() - next));
      figures.put("holderToldMillis", millis);
      figures.put("twoHoldersMillis", both);
      return "the holder is told " + why + " after " + Text.ms(millis)
          + (both == 0
              ? ", before another has the lock"
              : ", when another has had the lock for " + Text.ms(both));
    } catch (TimeoutException e) {
      double waited = (System.nanoTime() - start) / 1e9;
      return "the holder is told nothing within " + Text.number(waited) + " s";
    }
  }
}
