package dev.interlock.tck.internal.rules;

import dev.interlock.tck.internal.run.NotReached;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does the same with many things on several threads: over a distance one thread takes too long. */
final class SideBySide {
  private static final int THREADS = 8;

  /** What is done with one of them. */
  interface Step<T, R> {
    R apply(T item) throws Exception;
  }

  private SideBySide() {}

  /** Returns the answers in the order of the items. */
  static <T, R> List<R> each(List<T> items, Step<T, R> step) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS, work -> {
      Thread thread = new Thread(work, "tck-rule-side");
      thread.setDaemon(true);
      return thread;
    });
    try {
      List<Future<R>> started = new ArrayList<>();
      for (T item : items) {
        started.add(threads.submit(() -> step.apply(item)));
      }
      List<R> answers = new ArrayList<>();
      Exception failure = null;
      for (Future<R> answer : started) {
        try {
          answers.add(answer.get());
        } catch (ExecutionException e) {
          failure = e.getCause() instanceof Exception cause ? cause : e;
          if (!(failure instanceof NotReached)) {
            break; // what shows nothing for one does not hide what another one shows
          }
        }
      }
      if (failure != null) {
        throw failure;
      }
      return answers;
    } finally {
      threads.shutdownNow();
    }
  }
}
