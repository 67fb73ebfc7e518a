package dev.interlock.spring.internal.call;

import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.Losses;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Holds a lock until a stage is complete, and then lets the caller have its result. A stage such as
 * that of {@link CompletableFuture#completedStage} is a future too, which only a copy of it shows:
 * it refuses to tell its state and to be cancelled.
 */
final class StageCall {
  private StageCall() {}

  static <T> CompletionStage<T> endWith(
      CompletionStage<T> work, Entry entry, LockedMethod locked, LockedCalls shared) {
    Ending ending = entry.ending();
    // Has no dependents of others while it is open: to complete it runs nobody's code.
    CompletableFuture<T> outcome = new CompletableFuture<>();
    if (work instanceof CompletableFuture<T> given
        && given.toCompletableFuture().isDone()) {
      var unused = given.whenComplete((value, failure) -> end(outcome, ending, value, failure));
      return outcome;
    }
    ending.detach();
    // Not on the thread that completes it: that may be the one which reads the server's answers.
    work.whenCompleteAsync(
        (value, failure) -> end(outcome, ending, value, failure), shared.releasing());
    CompletableFuture<T> result = told(outcome, shared.telling());
    var unused = result.whenComplete((value, failure) -> {
      if (result.isCancelled()) {
        cancel(work);
      }
    });
    if (locked.interrupts()) {
      entry
          .lost()
          .thenAcceptAsync(
              reason -> {
                // Before the cancel: else what the cancelled work answers might be told instead.
                outcome.completeExceptionally(Losses.during(entry.lease(), reason));
                cancel(work);
              },
              shared.telling());
    }
    return result;
  }

  /** What an application's code hangs on. */
  private static <T> CompletableFuture<T> told(CompletableFuture<T> outcome, Executor telling) {
    CompletableFuture<T> result = new CompletableFuture<>();
    var unused = outcome.whenCompleteAsync(
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(failure);
          }
        },
        telling);
    return result;
  }

  private static void cancel(CompletionStage<?> work) {
    if (work instanceof CompletableFuture<?> given) {
      given.toCompletableFuture().cancel(true);
    }
  }

  private static <T> void end(
      CompletableFuture<T> outcome, Ending ending, T value, @Nullable Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
    try {
      if (failure == null) {
        ending.end();
        outcome.complete(value);
      } else {
        ending.endAfter(failure);
        outcome.completeExceptionally(failure);
      }
    } catch (Throwable e) { // whatever it is, the caller must not wait for ever
      outcome.completeExceptionally(e);
    }
  }
}
