package dev.interlock;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * An open client of a lock backend. Thread-safe; an application needs one. Get it from
 * {@link Locks}.
 *
 * <p>Faults of the backend are retried while a call waits, for at most 5 s in a row, or 30 s if the
 * call stands in a queue on the server and would lose its place; then they reach the caller as
 * {@link BackendUnavailableException} or {@link OutcomeUnknownException}, never as a grant and
 * never as "held by another". After {@link #close()} every method but {@link #close()} and
 * {@link #capabilities()} throws {@link BackendUnavailableException}.
 */
public interface LockClient extends AutoCloseable {

  /**
   * Returns the lock of this name as the current thread's lock. Does no I/O.
   *
   * @param name not empty, without NUL, at most 1,024 bytes in UTF-8
   * @return a view; all views of a name are the same lock
   * @throws IllegalArgumentException if the name is not allowed
   */
  DistributedLock lock(String name);

  /**
   * Returns the read-write lock of this name as the current thread's lock. Does no I/O. A request
   * for the name that is {@link LockRequest#shared()} reads, and one that is not writes.
   *
   * @param name not empty, without NUL, at most 1,024 bytes in UTF-8
   * @return a view; all views of a name are the same lock
   * @throws IllegalArgumentException if the name is not allowed
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#SHARED}
   */
  DistributedReadWriteLock readWriteLock(String name);

  /**
   * Returns the semaphore of this name. Does no I/O.
   *
   * @param name not empty, without NUL, at most 1,024 bytes in UTF-8
   * @param permits how many permits there are, from 1 to {@link LockRequest#MAX_PERMITS}
   * @return a view; all views of a name are the same semaphore, also if their sizes differ
   * @throws IllegalArgumentException if the name or the size is not allowed
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#PERMITS}
   */
  DistributedSemaphore semaphore(String name, int permits);

  /**
   * Acquires a lock, waiting as long as the request says.
   *
   * @param request what to acquire
   * @return the lease
   * @throws InterruptedException if interrupted before or while waiting; nothing is left behind
   * @throws LockTimeoutException once the wait is over
   * @throws BackendUnavailableException if the backend cannot be asked; nothing was held
   * @throws OutcomeUnknownException if an attempt was not answered, and no later one was either;
   *     cleaned up in the background
   * @throws UnsupportedCapabilityException if the request needs what the provider does not declare
   * @throws IllegalStateException if its named owner reads in this client, and asks to write: it
   *     would wait for itself
   */
  Lease acquire(LockRequest request) throws InterruptedException;

  /**
   * Attempts to acquire a lock once. Blocks for I/O only and does not react to interruption.
   *
   * @param request what to acquire; without a wait, or with one of zero
   * @return the lease; empty only if the lock is held by another
   * @throws IllegalArgumentException if the request names a wait: that is for {@link #acquire}
   * @throws BackendUnavailableException if the backend cannot be asked; nothing was held
   * @throws OutcomeUnknownException if the answer never came; cleaned up in the background
   * @throws UnsupportedCapabilityException if the request needs what the provider does not declare
   * @throws IllegalStateException if its named owner reads in this client, and asks to write: it
   *     would wait for itself
   */
  Optional<Lease> tryAcquire(LockRequest request);

  /**
   * Acquires a lock without blocking the caller and without a thread for each waiter.
   *
   * <p>It returns before the request has reached the server, so two calls in a row may come into
   * the queue of a fair lock in either order.
   *
   * @param request what to acquire
   * @return completes with the lease, or exceptionally as {@link #acquire} would throw. To cancel
   *     the future leaves no hold and no queue entry: {@code cancel} returns at once, and the
   *     server is told in the background; until then a release may still grant it the lock for a
   *     moment. If the wait is over while the server owes an answer, the future completes with that
   *     answer if it comes within a second, else with {@link OutcomeUnknownException}. It
   *     completes, and dependent actions run, on daemon threads of the client or where
   *     {@link LockConfig.Builder#executor} says. An action must not block for long, as
   *     {@code join} on another request may: there are 32 such threads at the most, and a lease for
   *     which none is free within the time of one lease is given back.
   * @throws BackendUnavailableException if the client is closed
   * @throws UnsupportedCapabilityException if the request needs what the provider does not declare
   * @throws IllegalStateException as {@link #acquire} says
   */
  CompletableFuture<Lease> acquireAsync(LockRequest request);

  /**
   * Acquires several locks, all or none. They are taken in the order of their names, so callers
   * that name the same locks in any order never deadlock. The wait of each request counts from the
   * call. Each fixed lease has its full time when the call returns: those that lost some of it
   * while others were waited for are extended, in one request. Where the provider is not
   * {@link Capability#RENEWABLE} they count from their own grant.
   *
   * @param requests one for each name, at least one
   * @return the leases of all of them
   * @throws InterruptedException if interrupted; nothing is left behind
   * @throws IllegalArgumentException if a name occurs twice or the list is empty
   * @throws LockTimeoutException once the wait of a request is over
   * @throws LeaseLostException if a lease was lost while the other locks were waited for; nothing
   *     is held
   * @throws BackendUnavailableException if the backend cannot be asked; nothing was held
   * @throws OutcomeUnknownException if an answer never came; cleaned up in the background
   * @throws UnsupportedCapabilityException if a request needs what the provider does not declare;
   *     none is held
   * @throws IllegalStateException as {@link #acquire} says; before any lock is taken
   */
  LeaseSet acquireAll(List<LockRequest> requests) throws InterruptedException;

  /**
   * Asks the server who holds a lock. Blocks for I/O only and does not react to interruption.
   *
   * @param name the lock's name
   * @return who holds it; empty when it is free
   * @throws IllegalArgumentException if the name is not allowed
   * @throws BackendUnavailableException if the backend cannot be asked
   * @throws OutcomeUnknownException if no answer came
   */
  Optional<HoldInfo> inspect(String name);

  /**
   * Takes a lock from all who hold it. For operators only: a holder may be at work. Its lease
   * becomes lost with {@link LostReason#FORCED} or {@link LostReason#GONE}. Blocks for I/O only and
   * does not react to interruption.
   *
   * <p>Whom it hits may have changed since the operator looked: see {@link #forceRelease(String,
   * long)}.
   *
   * @param name the lock's name
   * @return true if it was taken from a holder; false if it was free
   * @throws IllegalArgumentException if the name is not allowed
   * @throws BackendUnavailableException if the backend cannot be asked; nothing was changed
   * @throws OutcomeUnknownException if no answer came
   */
  boolean forceRelease(String name);

  /**
   * Takes a lock from the hold that has this fencing token, and from no other: a successor that
   * came meanwhile is spared. For operators only, like {@link #forceRelease(String)}.
   *
   * <p>A client may pass a lock among its own waiters without telling the server. For the server
   * their tokens belong to one hold, and any of these tokens ends it.
   *
   * @param name the lock's name
   * @param fencingToken {@link HoldInfo#fencingToken()} or {@link Lease#fencingToken()}
   * @return true if it was taken from that hold; false changes nothing
   * @throws IllegalArgumentException if the token is not positive, or the name is not allowed
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#FENCED}
   * @throws BackendUnavailableException if the backend cannot be asked; nothing was changed
   * @throws OutcomeUnknownException if no answer came
   */
  boolean forceRelease(String name, long fencingToken);

  /**
   * Returns what the provider promises.
   *
   * @return the declared capabilities
   */
  Set<Capability> capabilities();

  /**
   * Releases what this client holds, lets every waiter fail with
   * {@link BackendUnavailableException}, and ends all threads, renewals and connections that it
   * opened. Idempotent; blocks for a few seconds at the most.
   */
  @Override
  void close();
}
