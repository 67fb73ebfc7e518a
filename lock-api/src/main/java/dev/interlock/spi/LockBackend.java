package dev.interlock.spi;

import dev.interlock.HoldInfo;
import java.util.List;
import java.util.Optional;

/**
 * One open backend. The engine calls it from many threads at once; every method blocks for I/O only
 * and for a bounded time, never for a lock to become free.
 *
 * <p>Each method that changes state is <em>one atomic step on the server</em>, and its effect is
 * the same whether it runs once, twice, or late:
 *
 * <ul>
 *   <li>an attempt repeated with the same id is granted again if it holds the lock, with the same
 *       token, and the lease restarts but is never shortened; it never makes a second hold or queue
 *       entry;
 *   <li>a renewal never shortens a lease and never brings back a hold that is gone;
 *   <li>a release or an abandonment of an id that is not there changes nothing.
 * </ul>
 *
 * <p>Leases are counted by the server's clock. Failures are told apart:
 * {@link dev.interlock.BackendUnavailableException} if the command certainly had no effect,
 * {@link dev.interlock.OutcomeUnknownException} if it may have had one; the engine retries both.
 * Any other {@link dev.interlock.LockException} is final and goes to the caller. The calling
 * thread's interrupt flag is clear on entry.
 *
 * <p>This is all that a backend needs. One that also saves round trips for clients with many
 * threads implements {@link HandOffBackend}, where they want the same lock, or
 * {@link BatchBackend}, where a quorum asks it for several.
 */
public interface LockBackend extends AutoCloseable {

  /**
   * Attempts to get a lock.
   *
   * @param attempt what to get
   * @return granted, busy, or queued
   */
  AttemptResult attempt(Attempt attempt);

  /**
   * Keeps holds and queue entries alive. Returns once every one of them is answered, and those
   * calls of {@code answers} have returned; if it throws, that is the answer to those that are not.
   *
   * @param batch at least one, at most 256, of different ids
   * @param answers takes the answer to each as soon as it is known, from any thread
   */
  void renew(List<Renewal> batch, RenewalAnswers answers);

  /**
   * Gives a hold up and hands the lock to, or wakes, the next waiter.
   *
   * @param name the lock
   * @param id the hold
   * @return whether the hold was there; false changes nothing
   */
  boolean release(String name, HoldId id);

  /**
   * Removes whatever an attempt left: a hold (as a release does), a queue entry, a note to be
   * woken. If the lock is free, the next waiter gets it or is woken. Returns once the server has
   * confirmed.
   *
   * @param name the lock
   * @param id the attempt
   */
  void abandon(String name, HoldId id);

  /**
   * Tells who holds a lock.
   *
   * @param name the lock
   * @return empty when it is free
   */
  Optional<HoldInfo> inspect(String name);

  /**
   * Tells who stands first in a lock's queue; for operators. Changes nothing, and is one step on
   * the server, whose work is bounded by the limit and not by the length of the queue. A client
   * with many threads may stand there once.
   *
   * @param name the lock
   * @param limit how many at the most, from 1 on
   * @return in the order of the queue; empty if the store does not know who waits, or not in which
   *     order: it may still tell {@linkplain HoldInfo#waiters() how many}
   */
  default Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.empty();
  }

  /**
   * Lists held locks, a part at a time; for operators. What one call costs the server is bounded by
   * {@link HoldQuery#limit()}, however many locks and other data it has. A lock that is held from
   * the first page to the last is listed. One that is taken or released meanwhile may be missing,
   * and any may be listed twice.
   *
   * @param query which part; with the prefix of the page before if it continues that
   * @return a page; empty if the store cannot list
   * @throws IllegalArgumentException if {@link HoldQuery#after()} is from no page of this backend
   */
  default Optional<HoldPage> list(HoldQuery query) {
    return Optional.empty();
  }

  /**
   * Takes a lock from one holder, tells it if it can, and serves the next waiter. A repetition
   * finds the victim gone and spares its successor, which has other tokens.
   *
   * @param name the lock
   * @param fencingToken one of the tokens of the hold that is to end, or of the holds if their
   *     owner shares it; 0 for a hold without any, as {@link #inspect} tells of it: the provider is
   *     not FENCED, or other software put it there
   * @return true if such a hold was there; false changes nothing
   */
  boolean forceRelease(String name, long fencingToken);

  /**
   * Takes a lock from whoever holds it, from all who do. It looks first, so that what changes the
   * state names its victims: one that left by itself meanwhile is no reason to rob the next without
   * a look.
   *
   * @param name the lock
   * @return true if it was taken from a holder; false if it was free, or if each of many holders
   *     that were found had given it up by itself
   */
  default boolean forceRelease(String name) {
    for (int looks = 0; looks < 16; looks++) {
      Optional<HoldInfo> found = inspect(name);
      if (found.isEmpty()) {
        return false;
      }
      boolean forced = forceRelease(name, found.get().fencingToken());
      for (HoldInfo other : found.get().others()) {
        forced |= forceRelease(name, other.fencingToken());
      }
      if (forced) {
        return true;
      }
    }
    return false;
  }

  /**
   * Hands over where to send events. Called once, before anything else; a backend that never calls
   * back need not implement it.
   *
   * @param events the engine
   */
  default void subscribe(BackendEvents events) {}

  /**
   * Names the server, for reports.
   *
   * @return product and version, for example "Redis 7.0.15"
   */
  String server();

  /**
   * Closes what the backend opened, and nothing that the application handed in. Ends no hold: what
   * the engine has not given back before lasts as long as its lease.
   */
  @Override
  void close();
}
