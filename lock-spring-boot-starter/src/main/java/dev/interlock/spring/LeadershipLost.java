package dev.interlock.spring;

/**
 * Published as an event of the application when it leads no longer, also at its shutdown. Listeners
 * run on the thread of the {@link LeaderElection}, before its callback.
 *
 * @param name the lock's name
 * @param fencingToken the token of the lease that has ended; 0 where the provider is not FENCED
 */
public record LeadershipLost(String name, long fencingToken) {}
