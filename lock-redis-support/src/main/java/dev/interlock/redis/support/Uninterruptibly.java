package dev.interlock.redis.support;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what comes within a bounded time, whatever interrupts come before. */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /**
   * A wait that can be begun anew.
   *
   * @param <T> what is waited for
   * @param <E> what else may go wrong
   */
  @FunctionalInterface
  public interface Wait<T, E extends Exception> {
    /**
     * Waits.
     *
     * @return what was waited for
     * @throws InterruptedException if an interrupt came first
     * @throws E if something went wrong
     */
    T once() throws InterruptedException, E;
  }

  /**
   * Begins a wait anew after each interrupt, and leaves the interrupt flag set if one came.
   *
   * @param wait ends at the same moment however often it is begun
   * @return what was waited for
   * @throws E if something went wrong
   */
  public static <T, E extends Exception> T await(Wait<T, E> wait) throws E {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.once();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for the end of something.
   *
   * @param future whose end, a good or a bad one
   * @param deadline by {@link System#nanoTime()}; what has ended already has ended in time
   * @return whether it has ended
   */
  public static boolean awaitEnd(Future<?> future, long deadline) {
    return await(() -> {
      try {
        future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        return true;
      } catch (ExecutionException | CancellationException e) {
        return true;
      } catch (TimeoutException e) {
        return false;
      }
    });
  }
}
