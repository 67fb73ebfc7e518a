package dev.interlock.spring;

import dev.interlock.Lease;

/**
 * What a leader does. Both methods are called on the thread of the {@link LeaderElection}, one
 * after the other, {@code gained} before {@code lost} for each lease.
 */
@FunctionalInterface
public interface LeaderCallback {

  /**
   * This instance leads from now on. The method may begin the work and return, or do the work and
   * return when it is interrupted: a loss and a stop of the election interrupt it. It finds the
   * lease in {@link CurrentLease}, too.
   *
   * @param lease the lease, with the fencing token for what the leader writes
   * @throws Exception if it cannot lead: the leadership is given up, and sought again a second
   *     later
   */
  void gained(Lease lease) throws Exception;

  /**
   * This instance leads no longer. If the election is stopped, the lock is released only when this
   * method has returned, so that the next leader begins after the end of this one's work.
   *
   * @param lease the lease that {@link #gained} was told of; still valid unless it was lost
   */
  default void lost(Lease lease) {}
}
