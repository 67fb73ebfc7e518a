package dev.interlock.quorum;

import dev.interlock.HoldInfo;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The members that say the same of who holds a lock.
 *
 * @param votes what they say
 * @param need how many of them must hold it
 */
record HoldVotes(Map<Member, HoldInfo> votes, int need) {

  /** The lock is held if enough members say so, or could say so if they answered. */
  static Optional<HoldVotes> of(Map<Member, Optional<HoldInfo>> answers, Members members) {
    int silent = members.all().size() - answers.size();
    Map<String, Map<Member, HoldInfo>> holds = new LinkedHashMap<>();
    members.all().forEach(member -> {
      Optional<HoldInfo> answer = answers.getOrDefault(member, Optional.empty());
      answer.ifPresent(hold ->
          holds.computeIfAbsent(identity(hold), key -> new LinkedHashMap<>()).put(member, hold));
    });
    return holds.values().stream()
        .filter(votes -> votes.size() + silent >= members.need())
        .max(Comparator.comparingInt(Map::size))
        .map(votes -> new HoldVotes(votes, members.need()));
  }

  private static String identity(HoldInfo hold) {
    return hold.owner() + " " + hold.host();
  }

  /**
   * What most of them say is its token; of equal numbers the smallest, for repairs bring larger
   * ones.
   */
  private long token() {
    Map<Long, Integer> tokens = new TreeMap<>();
    votes.values().forEach(hold -> tokens.merge(hold.fencingToken(), 1, Integer::sum));
    return tokens.entrySet().stream()
        .reduce((best, next) -> next.getValue() > best.getValue() ? next : best)
        .map(Map.Entry::getKey)
        .orElse(0L);
  }

  /** The first of them, in the order of the members. */
  Member first() {
    return votes.keySet().iterator().next();
  }

  /** What the quorum says: held for as long as enough members hold it. */
  HoldInfo described() {
    HoldInfo first = votes.values().iterator().next();
    Duration remaining = votes.values().stream()
        .map(HoldInfo::remaining)
        .sorted(Comparator.reverseOrder())
        .limit(need)
        .reduce(first.remaining(), (longer, shorter) -> shorter);
    int waiters = votes.values().stream().mapToInt(HoldInfo::waiters).max().orElse(0);
    return HoldInfo.of(
        first.name(), first.owner(), first.host(), first.since(), remaining, token(), waiters);
  }
}
