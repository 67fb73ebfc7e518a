package dev.interlock.tck.internal.run;

import java.util.concurrent.Callable;

/**
 * The time in which worker JVMs were being started, and used a client for the first time. It tells
 * how fast the machine is rather than what the backend does, so it does not count against the time
 * limit of a rule. Thread-safe.
 */
final class JvmStarts {
  private int underWay;
  private long begunAt;
  private long total;

  /** Starts a JVM. What others start at the same time counts once. */
  <T> T during(Callable<T> start) throws Exception {
    begin();
    try {
      return start.call();
    } finally {
      end();
    }
  }

  /** Returns the time so far, in nanoseconds, with that of a start that is under way. */
  synchronized long nanos() {
    return total + (underWay > 0 ? System.nanoTime() - begunAt : 0);
  }

  private synchronized void begin() {
    if (underWay++ == 0) {
      begunAt = System.nanoTime();
    }
  }

  private synchronized void end() {
    if (--underWay == 0) {
      total += System.nanoTime() - begunAt;
    }
  }
}
