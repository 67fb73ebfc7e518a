package dev.interlock.quorum.internal.hold;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The place of one question behind what a member was asked before. It is given under the monitor of
 * a {@link Standing}, and the question is asked outside of it: where no thread can be started, that
 * fails, and so do questions of others that have gathered there, with all that goes on behind them.
 * Thread-safe.
 *
 * @param before what was asked before
 * @param answer of this question, behind which the next one is asked
 */
record Turn<T>(CompletableFuture<?> before, CompletableFuture<T> answer) {

  static <T> Turn<T> behind(CompletableFuture<?> before) {
    return new Turn<>(before, new CompletableFuture<>());
  }

  /** Asks, at once or on the thread that answers what was asked before. Called once. */
  CompletableFuture<T> take(Supplier<CompletableFuture<T>> question) {
    if (before.isDone()) {
      ask(question);
    } else {
      var unused = before.whenComplete((done, error) -> ask(question));
    }
    return answer;
  }

  private void ask(Supplier<CompletableFuture<T>> question) {
    CompletableFuture<T> asked;
    try {
      asked = question.get();
    } catch (Throwable e) { // an Error, too: or nothing would be asked behind it any more
      asked = CompletableFuture.failedFuture(e);
    }
    var unused = asked.whenComplete((value, error) -> {
      if (error == null) {
        answer.complete(value);
      } else {
        answer.completeExceptionally(error);
      }
    });
  }
}
