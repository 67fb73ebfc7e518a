package dev.interlock.spi;

/**
 * What a backend tells the engine without being asked. Every method is quick, never blocks, may be
 * called from any thread, and tolerates events that are late, repeated or for nobody. A lost event
 * costs time, never correctness.
 */
public interface BackendEvents {

  /**
   * Hears nothing. For those who ask a backend without an engine before it, and neither hold nor
   * wait by its events.
   */
  BackendEvents IGNORED = new IgnoredEvents();

  /**
   * A queued attempt of this client was granted the lock by a step of another client.
   *
   * @param grant the grant
   * @param notBeforeNanos a reading of {@link System#nanoTime()} that is certainly not later than
   *     the server's grant, from which validity can be counted; if there is none, call
   *     {@link #wake(String, HoldId)} instead, and the engine confirms with a repeated attempt
   */
  void granted(Grant grant, long notBeforeNanos);

  /**
   * An attempt of this client should be repeated now: the lock was released, or it was granted.
   *
   * @param name the lock
   * @param id the attempt that waits
   */
  void wake(String name, HoldId id);

  /**
   * A hold of this client was taken away by a forced release.
   *
   * @param name the lock
   * @param id the hold
   */
  void revoked(String name, HoldId id);

  /**
   * Events may have been lost: a connection was cut, or has just come about. Whoever waits is
   * checked again, and so is every hold if the backend can renew.
   */
  void inDoubt();
}
