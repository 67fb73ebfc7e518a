package dev.interlock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One entry into a lock. Owned by whoever has this handle: any thread may use or release it, except
 * for {@link DistributedLock#lease()}, which only its thread may release.
 *
 * <p>Thread-safe. Only {@link #extend}, {@link #release} and {@link #close} do I/O; they block for
 * at most the backend's time limit and do not react to interruption (the flag stays set).
 *
 * <p>Validity is counted on {@link System#nanoTime()} from before the request was sent, less a
 * drift margin of 2 ms and 0.2 % of the lease, so it ends before the server's lease does. A holder
 * that was paused finds {@link #isValid()} false when it goes on.
 *
 * <p>That clock stands still on Linux while the machine is suspended. So validity also ends when
 * the wall clock says that the lease has passed since it was granted or renewed: after a resume a
 * lease that ran out meanwhile is not valid at the first look, and {@link #lost()} tells within
 * about a second. The wall clock never makes a lease last longer. A clock that is set forward looks
 * like a suspend and takes its step from each lease (one that is renewed gets it back); a step back
 * changes nothing. A suspend is not noticed if it ends within a second after the wall clock was set
 * back by as much, if the wall clock does not show it after the resume, or if it takes less than
 * about 10 ms and 0.2 % of the lease. Against these, and against a pause right after a check, only
 * the fencing token helps.
 */
public interface Lease extends AutoCloseable {

  /**
   * Returns the name of the lock.
   *
   * @return the name
   */
  String name();

  /**
   * Returns the fencing token of this hold: larger than that of every earlier hold of the name.
   * Give it to the resource that the lock protects, and let the resource refuse smaller ones.
   *
   * @return the token
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#FENCED}
   */
  long fencingToken();

  /**
   * Returns how long this lease is certainly still valid, without I/O.
   *
   * @return the time left; zero when it is not valid
   */
  Duration remaining();

  /**
   * Tells whether the lease is certainly still held, without I/O.
   *
   * @return false once it was released or lost, or its time has passed
   */
  boolean isValid();

  /**
   * Checks {@link #isValid()}.
   *
   * @throws LeaseLostException if the lease is not valid
   */
  void ensureValid();

  /**
   * Makes the lease last at least this long from now. Never shortens it.
   *
   * @param lease from 10 ms to 365 days
   * @return true only if it was still held; false changes nothing
   * @throws IllegalArgumentException if the time is out of range
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#RENEWABLE}
   * @throws BackendUnavailableException if the backend could not be asked
   * @throws OutcomeUnknownException if no answer came; the lease is not longer than before
   */
  boolean extend(Duration lease);

  /**
   * Tells when this lease is lost, that is, ends without a release. It completes shortly before the
   * validity passes, or at the first contact with the server that shows the loss, whichever is
   * first; after an orderly release it never completes. Actions run on a few threads that all
   * clients of the JVM share for nothing else: stop the work, and do not block there.
   *
   * @return a stage that cannot be completed or cancelled from outside
   */
  CompletionStage<LostReason> lost();

  /**
   * Gives up this entry; the last entry of a hold frees the lock. A lease that runs out while the
   * server is asked was released in order.
   *
   * @throws LeaseLostException if the lease was gone, or this handle was released before; nothing
   *     is changed
   * @throws OutcomeUnknownException if no answer came; the hold is removed in the background
   */
  void release();

  /**
   * Releases, unless this handle was released before: then it does nothing.
   *
   * @throws LeaseLostException if the lease was lost
   */
  @Override
  void close();
}
