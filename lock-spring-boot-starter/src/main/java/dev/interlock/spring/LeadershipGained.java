package dev.interlock.spring;

/**
 * Published as an event of the application when it has become the leader. Listeners run on the
 * thread of the {@link LeaderElection}, before its callback.
 *
 * @param name the lock's name
 * @param fencingToken the token of the lease; 0 where the provider is not FENCED
 */
public record LeadershipGained(String name, long fencingToken) {}
