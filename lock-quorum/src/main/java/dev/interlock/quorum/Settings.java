package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a quorum's settings say. Immutable.
 *
 * @param members the settings of the members
 * @param need how many of them must grant
 * @param longestLease see {@link QuorumOptions#LONGEST_LEASE}
 */
record Settings(List<LockConfig> members, int need, Duration longestLease) {

  /**
   * What a quorum does not keep, whatever its members do. Several holders of one lock may be on
   * different majorities: of three members, each of which has two permits, three holders of a
   * permit find one each on two.
   */
  private static final Set<Capability> NOT_KEPT = Set.of(Capability.SHARED, Capability.PERMITS);

  /**
   * Reads settings that {@link #faults} has no objection to.
   *
   * @param given the members; null if the settings name their URIs
   */
  static Settings of(LockConfig config, @Nullable List<LockConfig> given) {
    List<LockConfig> members = (given == null ? parsed(config) : given)
        .stream().map(member -> inNamespace(member, config)).toList();
    return new Settings(
        members,
        config.get(QuorumOptions.NEED).of(members.size()),
        config.get(QuorumOptions.LONGEST_LEASE));
  }

  private static List<LockConfig> parsed(LockConfig config) {
    return config.get(QuorumOptions.MEMBER).stream().map(LockConfig::parse).toList();
  }

  /** The namespace of the quorum is that of its members, unless a member has one of its own. */
  private static LockConfig inNamespace(LockConfig member, LockConfig quorum) {
    boolean own = member.values().containsKey(CommonOptions.NAMESPACE);
    return own
        ? member
        : member.toBuilder()
            .set(CommonOptions.NAMESPACE, quorum.get(CommonOptions.NAMESPACE))
            .build();
  }

  /** Finds what is wrong with the members, all of it. */
  static List<String> faults(LockConfig config, @Nullable List<LockConfig> given) {
    List<String> faults = new ArrayList<>();
    List<LockConfig> members = new ArrayList<>();
    int count = given == null ? config.get(QuorumOptions.MEMBER).size() : given.size();
    if (!QuorumOptions.isAllowed(count)) { // of the option this was checked before
      faults.add("there are %d members: there must be 2 to %d"
          .formatted(count, QuorumOptions.MOST_MEMBERS));
    }
    for (int i = 0; i < count; i++) {
      try {
        LockConfig member = given == null
            ? LockConfig.parse(config.get(QuorumOptions.MEMBER).get(i))
            : given.get(i);
        var unused = LockClients.provider(member);
        members.add(inNamespace(member, config));
      } catch (LockException e) {
        faults.add("member %d: %s".formatted(i + 1, e.getMessage()));
      }
    }
    faults.addAll(conflicts(members));
    boolean forgetful = faults.isEmpty() && !members.stream().allMatch(Settings::isDurable);
    if (forgetful
        && config.get(CommonOptions.LEASE).compareTo(config.get(QuorumOptions.LONGEST_LEASE)) > 0) {
      faults.add("lease is longer than longestLease");
    }
    return faults;
  }

  private static List<String> conflicts(List<LockConfig> members) {
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      LockConfig member = members.get(i);
      if (member.provider().equals(QuorumProvider.ID)) {
        faults.add("member %d is itself a quorum".formatted(i + 1));
      }
      for (int other = 0; other < i; other++) {
        if (isSame(members.get(other), member)) {
          faults.add("members %d and %d are the same".formatted(other + 1, i + 1));
        }
      }
    }
    return faults;
  }

  private static boolean isSame(LockConfig one, LockConfig other) {
    return one.provider().equals(other.provider()) && one.values().equals(other.values());
  }

  /** What all members promise, as far as a quorum keeps it. */
  Set<Capability> capabilities() {
    Set<Capability> common = keepable();
    members.forEach(member -> common.retainAll(LockClients.provider(member).capabilities(member)));
    return common;
  }

  /** What a quorum may promise, if its members do. */
  static Set<Capability> keepable() {
    return EnumSet.complementOf(EnumSet.copyOf(NOT_KEPT));
  }

  static boolean isDurable(LockConfig member) {
    return LockClients.provider(member).capabilities(member).contains(Capability.DURABLE);
  }
}
