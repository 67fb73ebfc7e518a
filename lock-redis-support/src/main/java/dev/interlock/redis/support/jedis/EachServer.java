package dev.interlock.redis.support.jedis;

import dev.interlock.spi.Uninterruptibly;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks several servers at the same time, so that one that is silent holds up none of the others.
 * The last one is asked on the calling thread, which is the only one there is with a single server;
 * the others on daemon threads that end when idle. Thread-safe.
 */
public final class EachServer {
  private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
      0,
      32,
      1,
      TimeUnit.SECONDS,
      new SynchronousQueue<>(),
      task -> {
        Thread thread = new Thread(task, "interlock-each-server");
        thread.setDaemon(true);
        return thread;
      },
      new ThreadPoolExecutor.CallerRunsPolicy());

  private EachServer() {}

  /**
   * Does each of these and returns when all are done, also if some fail; then throws what one of
   * them threw.
   *
   * @param tasks one for each server; blocks for I/O, for a bounded time
   */
  public static void run(List<Runnable> tasks) {
    List<FutureTask<Boolean>> all = new ArrayList<>();
    for (Runnable task : tasks) {
      all.add(new FutureTask<>(task, true));
    }
    for (FutureTask<Boolean> task : all.subList(0, Math.max(0, all.size() - 1))) {
      THREADS.execute(task);
    }
    RuntimeException failure = null;
    for (int i = all.size() - 1; i >= 0; i--) {
      if (i == all.size() - 1) {
        all.get(i).run();
      }
      try {
        await(all.get(i));
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Begins to ask one on a thread of its own, for a caller that does not need all answers.
   *
   * @param question blocks for I/O, for a bounded time
   * @return the answer
   */
  static <T> CompletableFuture<T> begin(Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, THREADS);
  }

  private static void await(FutureTask<Boolean> task) {
    try {
      var unused = Uninterruptibly.await(task::get);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }
}
