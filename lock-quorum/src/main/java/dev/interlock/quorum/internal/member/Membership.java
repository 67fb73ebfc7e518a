package dev.interlock.quorum.internal.member;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Who belongs to a quorum, and what that needs of them. Immutable.
 *
 * @param members the settings of the members, in the same order in every client
 * @param need how many of them must grant a lock
 * @param longestLease for how long a member that lost its state does not vote
 */
public record Membership(List<LockConfig> members, int need, Duration longestLease) {

  /**
   * What a quorum does not keep, whatever its members do. Several holders of one lock may be on
   * different majorities: of three members, each of which has two permits, three holders of a
   * permit find one each on two.
   */
  private static final Set<Capability> NOT_KEPT = Set.of(Capability.SHARED, Capability.PERMITS);

  /** What all members promise, as far as a quorum keeps it. */
  public Set<Capability> capabilities() {
    Set<Capability> common = keepable();
    members.forEach(member -> common.retainAll(LockClients.provider(member).capabilities(member)));
    return common;
  }

  /** What a quorum may promise, if its members do. */
  public static Set<Capability> keepable() {
    return EnumSet.complementOf(EnumSet.copyOf(NOT_KEPT));
  }

  /** Whether a member keeps what it has answered, whatever happens to it. */
  public static boolean isDurable(LockConfig member) {
    return LockClients.provider(member).capabilities(member).contains(Capability.DURABLE);
  }
}
