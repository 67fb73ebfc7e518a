package dev.interlock.tck.internal.rules;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What came of a call that may hang.
 *
 * @param call the call in words
 * @param value what it answered
 * @param error what it threw
 * @param took how many nanoseconds it took
 */
record TimedAnswer(
    String call, @Nullable Object value, @Nullable Throwable error, long took) {

  /** Calls on a thread of its own. */
  static CompletableFuture<TimedAnswer> of(String name, Callable<?> action) {
    CompletableFuture<TimedAnswer> answer = new CompletableFuture<>();
    Thread thread = new Thread(
        () -> {
          long start = System.nanoTime();
          Object value = null;
          Throwable error = null;
          try {
            value = action.call();
          } catch (ExecutionException e) {
            error = e.getCause();
          } catch (Throwable t) {
            error = t;
          }
          answer.complete(new TimedAnswer(name, value, error, System.nanoTime() - start));
        },
        "tck-call");
    thread.setDaemon(true);
    thread.start();
    return answer;
  }
}
