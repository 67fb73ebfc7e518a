package dev.interlock.quorum;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.quorum.internal.member.Membership;
import dev.interlock.spi.LockClients;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads who belongs to a quorum from its settings, and finds what is wrong with them. */
final class Settings {
  private Settings() {}

  /**
   * Reads settings that {@link #faults} has no objection to.
   *
   * @param given the members; null if the settings name their URIs
   */
  static Membership read(LockConfig config, @Nullable List<LockConfig> given) {
    List<LockConfig> members = (given == null ? parsed(config) : given)
        .stream().map(member -> inNamespace(member, config)).toList();
    return new Membership(
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
    boolean forgetful = faults.isEmpty() && !members.stream().allMatch(Membership::isDurable);
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
}
