package dev.interlock.spi;

import java.util.List;

/**
 * A backend that saves round trips where many threads of one client want the same lock. Nothing
 * here is needed for a correct backend:
 *
 * <ul>
 *   <li>A release takes along the attempt of a thread that waits ({@link Release#next()}), and
 *       answers it and whoever else of this client has the lock now.
 *   <li>A grant may reserve up to {@link Attempt#tokens()} consecutive fencing tokens
 *       ({@link Grant#withTokens}). The client then passes the lock on among its threads without
 *       the server, each time with the next token.
 *   <li>A grant may name the waiters of the same client that stand directly behind it in the
 *       server's queue ({@link Grant#withHeirs}) and take as much of the lock. The client passes
 *       the lock on to them in this order, and names in {@link Release#passed()} those that have
 *       had it. It gives permits back that are granted to one of them meanwhile, and removes the
 *       others in the same step ({@link #abandon(String, List)}).
 * </ul>
 *
 * <p>What stands between the engine and such a backend must be one, too.
 */
public interface HandOffBackend extends LockBackend {

  /**
   * Gives a hold up and hands the lock to, or wakes, the next waiter.
   *
   * @param release the hold
   * @return what became of it
   */
  ReleaseResult release(Release release);

  /** {@inheritDoc} A waiter of this client that gets the lock by this learns of it by a renewal. */
  @Override
  default boolean release(String name, HoldId id) {
    return release(Release.of(name, id)).held();
  }

  /**
   * Removes what several attempts left, in one atomic step: then a permit of one of them, which
   * goes back, is granted to none of the others. The same as {@link #abandon(String, HoldId)} for
   * each of them, in their order, where a backend does not say more.
   *
   * @param name the lock
   * @param ids the attempts, of one client
   */
  default void abandon(String name, List<HoldId> ids) {
    ids.forEach(id -> abandon(name, id));
  }

  /**
   * Removes what attempts left by what their backend offers. For the engine and for what stands
   * between it and a backend.
   *
   * @param backend any backend
   * @param name the lock
   * @param ids the attempts, of one client
   */
  static void abandon(LockBackend backend, String name, List<HoldId> ids) {
    if (backend instanceof HandOffBackend handsOff && ids.size() > 1) {
      handsOff.abandon(name, ids);
    } else {
      ids.forEach(id -> backend.abandon(name, id));
    }
  }

  /**
   * Gives a hold up by what its backend offers. For the engine and for what stands between it and a
   * backend.
   *
   * @param backend any backend
   * @param release the hold; all but its id is ignored by one that is no HandOffBackend
   * @return what became of it
   */
  static ReleaseResult release(LockBackend backend, Release release) {
    if (backend instanceof HandOffBackend handsOff) {
      return handsOff.release(release);
    }
    return backend.release(release.name(), release.id())
        ? ReleaseResult.released()
        : ReleaseResult.notHeld();
  }
}
