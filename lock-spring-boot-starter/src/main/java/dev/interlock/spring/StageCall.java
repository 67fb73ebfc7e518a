package dev.interlock.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Holds a lock until a stage is complete, and then lets the caller have its result. */
final class StageCall {
  private StageCall() {}

  static <T> CompletionStage<T> endWith(
      CompletionStage<T> work, Entry entry, LockedMethod locked, Executor releasing) {
    Ending ending = entry.ending();
    CompletableFuture<T> result = new CompletableFuture<>();
    if (work instanceof CompletableFuture<T> future && future.isDone()) {
      var unused = future.whenComplete((value, failure) -> end(result, ending, value, failure));
      return result;
    }
    // Not on the thread that completes it: that may be the one which reads the server's answers.
    work.whenCompleteAsync((value, failure) -> end(result, ending, value, failure), releasing);
    var unused = result.whenComplete((value, failure) -> {
      if (result.isCancelled()) {
        cancel(work);
      }
    });
    if (locked.interrupts()) {
      // What hangs on the result may block, and others, further out too, are still to be told.
      entry
          .lost()
          .thenAcceptAsync(
              reason -> {
                // Before the cancel: else what the cancelled work answers might be told instead.
                result.completeExceptionally(Losses.during(entry.lease(), reason));
                cancel(work);
              },
              releasing);
    }
    return result;
  }

  private static void cancel(CompletionStage<?> work) {
    if (work instanceof CompletableFuture<?> future) {
      future.cancel(true);
    }
  }

  private static <T> void end(
      CompletableFuture<T> result, Ending ending, T value, @Nullable Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
    try {
      if (failure == null) {
        ending.end();
        result.complete(value);
      } else {
        ending.endAfter(failure);
        result.completeExceptionally(failure);
      }
    } catch (Throwable e) { // whatever it is, the caller must not wait for ever
      result.completeExceptionally(e);
    }
  }
}
