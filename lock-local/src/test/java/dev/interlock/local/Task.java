package dev.interlock.local;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Something that runs on a thread of its own. */
final class Task<T> {
  private final FutureTask<T> future;
  private final Thread thread;

  private Task(Callable<T> body) {
    future = new FutureTask<>(body);
    thread = new Thread(future, "test-task");
    thread.setDaemon(true);
    thread.start();
  }

  static <T> Task<T> run(Callable<T> body) {
    return new Task<>(body);
  }

  Thread thread() {
    return thread;
  }

  void interrupt() {
    thread.interrupt();
  }

  boolean isDone() {
    return future.isDone();
  }

  /** Its result, or what it threw; fails if it takes longer than twenty seconds. */
  T get() throws Exception {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  void awaitParked() {
    Await.until("the task waits", () -> {
      Thread.State state = thread.getState();
      return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    });
  }
}
