package dev.interlock.spring.internal.call;

import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads with names. They inherit nothing of whoever happens to need one first, such as its
 * user's identity: code of the application runs on them that belongs to others.
 */
public final class Threads {
  private Threads() {}

  public static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = new Thread(null, task, name + "-" + count.incrementAndGet(), 0, false);
      thread.setContextClassLoader(loader);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * As many threads as there are tasks at a time, for tasks that may block and must not wait for
   * one another. They end after 10 s without work.
   *
   * @param late what becomes of a task that comes after the shutdown
   */
  static ThreadPoolExecutor oneForEachTask(ThreadFactory threads, RejectedExecutionHandler late) {
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads, late);
  }
}
