package dev.interlock.spi;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that an interrupt does not end. The interrupt is kept: the flag of the thread is set again
 * afterwards. For backends, whose work is bounded in time and often done for others, too: what was
 * granted must be noted, and what is given up must be released, whoever is to stop. Thread-safe.
 */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /**
   * A wait that can be begun again after an interrupt.
   *
   * @param <T> what is waited for
   * @param <E> what it fails with
   */
  @FunctionalInterface
  public interface Wait<T extends @Nullable Object, E extends Exception> {

    /**
     * Waits, for as long as is left at each call.
     *
     * @return what is waited for
     * @throws InterruptedException if interrupted: then it is called again
     * @throws E if it fails
     */
    T await() throws InterruptedException, E;
  }

  /**
   * Waits, and goes on after an interrupt.
   *
   * @param wait how
   * @param <T> what is waited for
   * @param <E> what it fails with
   * @return what it returned
   * @throws E if it fails
   */
  public static <T extends @Nullable Object, E extends Exception> T await(Wait<T, E> wait)
      throws E {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.await();
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
   * Waits for an answer.
   *
   * @param answer the answer
   * @param nanos for how long at most, in nanoseconds; what is there already is in time
   * @param <T> its type
   * @return the answer
   * @throws ExecutionException if there is a failure in place of one
   * @throws TimeoutException if none came in time
   */
  public static <T> T get(Future<T> answer, long nanos)
      throws ExecutionException, TimeoutException {
    long deadline = System.nanoTime() + nanos;
    try {
      return await(
          () -> answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("get() throws nothing else", e);
    }
  }

  /**
   * Works with the flag cleared, for what would fail if it were set: an interrupted virtual thread
   * has its socket closed.
   *
   * @param work what to do
   * @param <T> what comes of it
   * @return what it returned
   */
  public static <T extends @Nullable Object> T call(Supplier<T> work) {
    boolean interrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Pauses for the whole time: who repeats something at once meets the same again. Neither an
   * interrupt nor a wake-up that was meant for another wait of the thread ends it.
   *
   * @param nanos for how long, in nanoseconds
   */
  public static void pause(long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = Thread.interrupted();
    for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
