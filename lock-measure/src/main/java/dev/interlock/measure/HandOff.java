package dev.interlock.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Measures how long a lock takes from the client that releases it to another one that waits for it.
 * Both clients are in this JVM, so that one clock tells both moments and no process has to be
 * woken. For one thread.
 */
public final class HandOff implements AutoCloseable {
  private final SectionLock holder;
  private final SectionLock waiter;
  private final UntilItWaits untilItWaits;
  private final Duration longestWait;
  private final ExecutorService waiting = Executors.newSingleThreadExecutor(HandOff::daemon);

  /** How to find out that the waiter waits. */
  @FunctionalInterface
  public interface UntilItWaits {

    /** Blocks until the request that was just made waits for the lock. */
    void await() throws InterruptedException;
  }

  /**
   * Prepares.
   *
   * @param holder the lock in the client that releases it
   * @param waiter the same lock in the other client
   * @param longestWait after the release
   */
  public HandOff(
      SectionLock holder, SectionLock waiter, UntilItWaits untilItWaits, Duration longestWait) {
    this.holder = holder;
    this.waiter = waiter;
    this.untilItWaits = untilItWaits;
    this.longestWait = longestWait;
  }

  /** A lock that never comes must not keep the command from ending. */
  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "hand-off-waiter");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Hands the lock over once.
   *
   * @return nanoseconds from the call of the release to the moment when the waiter had the lock
   * @throws MeasurementFailedException if the waiter had it before, or never had it
   */
  public long run() throws InterruptedException {
    CountDownLatch asking = new CountDownLatch(1);
    holder.lock();
    Future<Long> had = waiting.submit(() -> {
      asking.countDown();
      waiter.lock();
      long at = System.nanoTime();
      waiter.unlock();
      return at;
    });
    asking.await();
    untilItWaits.await();
    long released = System.nanoTime();
    holder.unlock();
    long took = moment(had) - released;
    if (took < 0) {
      throw new MeasurementFailedException("the waiter had the lock before it was released", null);
    }
    return took;
  }

  private long moment(Future<Long> had) throws InterruptedException {
    try {
      return had.get(longestWait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new MeasurementFailedException("the waiter failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new MeasurementFailedException(
          "the waiter did not have the lock " + longestWait.toMillis() + " ms after its release",
          e);
    }
  }

  /** Ends the waiter, which may wait for ever if the lock fails. */
  @Override
  public void close() {
    waiting.shutdownNow();
  }
}
