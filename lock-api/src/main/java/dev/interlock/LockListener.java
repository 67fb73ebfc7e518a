package dev.interlock;

import java.time.Duration;

/**
 * Hears what a client does; for metrics and audit. Every method does nothing unless overridden. The
 * client calls those that tell the kind of a request, which call the others unless overridden:
 * override either of a pair.
 *
 * <p>Called on the thread at work, possibly on several at once. What happens on a thread that must
 * not be held up (timer, renewal, a message from the server) is told on a thread of the client that
 * does nothing else. Be quick, do not block, do not call the client. Whatever follows from an event
 * is told after it; {@link LockClient#close()} waits for what was not told yet, for a few seconds.
 * Once a listener has let 65,536 events pile up on that thread, further ones are dropped, and the
 * log says how many. What a listener throws is logged and otherwise ignored. Register it with
 * {@link LockConfig.Builder#listener}.
 */
public interface LockListener {

  /**
   * An attempt is about to be sent to the backend.
   *
   * @param name the lock
   */
  default void attempt(String name) {}

  /**
   * A request found the lock held and begins to wait.
   *
   * @param name the lock
   */
  default void waiting(String name) {}

  /**
   * Tells {@link #waiting(String)} with the kind.
   *
   * @param name the lock
   * @param kind what is asked for of the lock
   */
  default void waiting(String name, LockKind kind) {
    waiting(name);
  }

  /**
   * A request got its lock, and a hold begins. Its end is told exactly once, by
   * {@link #released(String, long, Duration)} or by {@link #lost(String, long, LostReason)}, and
   * before the begin of this client's next hold of the lock, unless they share it: holds of readers
   * and of permits may be there at the same time, and their tokens tell them apart. A re-entry
   * begins no hold, and is not told.
   *
   * @param name the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param waited from the call to the grant
   */
  default void acquired(String name, long fencingToken, Duration waited) {}

  /**
   * Tells {@link #acquired(String, long, Duration)} with the kind.
   *
   * @param name the lock
   * @param kind what is held of the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param waited from the call to the grant
   */
  default void acquired(String name, LockKind kind, long fencingToken, Duration waited) {
    acquired(name, fencingToken, waited);
  }

  /**
   * A holder gave the lock up. If the release was not answered, this is told all the same, after
   * the {@link #backendError}: the server follows within one lease.
   *
   * @param name the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param held from the grant to the release
   */
  default void released(String name, long fencingToken, Duration held) {}

  /**
   * Tells {@link #released(String, long, Duration)} with the kind.
   *
   * @param name the lock
   * @param kind what was held of the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param held from the grant to the release
   */
  default void released(String name, LockKind kind, long fencingToken, Duration held) {
    released(name, fencingToken, held);
  }

  /**
   * A hold was renewed.
   *
   * @param name the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param lease how long it lasts from now
   */
  default void renewed(String name, long fencingToken, Duration lease) {}

  /**
   * A hold was lost.
   *
   * @param name the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param reason why
   */
  default void lost(String name, long fencingToken, LostReason reason) {}

  /**
   * Tells {@link #lost(String, long, LostReason)} with the kind.
   *
   * @param name the lock
   * @param kind what was held of the lock
   * @param fencingToken the token; 0 where the provider is not FENCED
   * @param reason why
   */
  default void lost(String name, LockKind kind, long fencingToken, LostReason reason) {
    lost(name, fencingToken, reason);
  }

  /**
   * What a request may have left on the server was removed after it timed out, was interrupted or
   * cancelled, or its outcome stayed unknown.
   *
   * @param name the lock
   */
  default void abandoned(String name) {}

  /**
   * A call to the backend failed. It may be retried.
   *
   * @param operation attempt, renew, release, abandon, inspect or forceRelease
   * @param name the lock, or the first one of a batch
   * @param error what was thrown
   */
  default void backendError(String operation, String name, LockException error) {}
}
