package dev.interlock;

import java.time.Duration;
import java.util.Optional;

/**
 * A number of permits that all JVMs share. Permits are held by a {@link Lease}: renewed until
 * released, lost with a signal, and free again within the lease when their JVM dies. Get it from
 * {@link LockClient#semaphore}.
 *
 * <p>Who waits is served in the order of arrival: nobody passes one that waits for many permits.
 * The size is not stored. The smallest of the sizes that a request and the holders name decides
 * whether the request fits, so a new size needs no agreement.
 *
 * <p>Thread-safe. Permits belong to their lease, not to a thread: any thread may release them, and
 * nothing re-enters. The methods throw what those of {@link LockClient} throw; one that asks for
 * less than one permit, or for more than there are, throws {@link IllegalArgumentException}.
 */
public interface DistributedSemaphore {

  /**
   * Returns the size.
   *
   * @return how many permits there are
   */
  int permits();

  /**
   * Makes a request for permits. Give it a lease or a limit of the wait, and pass it to a method of
   * {@link LockClient}; to {@link LockClient#acquireAll} together with others.
   *
   * @param permits how many
   * @return the request
   */
  LockRequest request(int permits);

  /**
   * Acquires a permit, waiting without limit.
   *
   * @return its lease
   * @throws InterruptedException if interrupted before or while waiting; nothing is left behind
   */
  Lease acquire() throws InterruptedException;

  /**
   * Acquires permits, all or none, waiting without limit.
   *
   * @param permits how many
   * @return the lease of all of them
   * @throws InterruptedException if interrupted before or while waiting; nothing is left behind
   */
  Lease acquire(int permits) throws InterruptedException;

  /**
   * Attempts once to acquire a permit.
   *
   * @return its lease; empty if none is free, or if others wait
   */
  Optional<Lease> tryAcquire();

  /**
   * Attempts once to acquire permits, all or none.
   *
   * @param permits how many
   * @return the lease of all of them; empty if not so many are free, or if others wait
   */
  Optional<Lease> tryAcquire(int permits);

  /**
   * Acquires permits, all or none, waiting for some time.
   *
   * @param permits how many
   * @param wait how long to wait at the most; zero for one attempt
   * @return the lease of all of them; empty once the wait is over
   * @throws InterruptedException if interrupted before or while waiting; nothing is left behind
   */
  Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;
}
