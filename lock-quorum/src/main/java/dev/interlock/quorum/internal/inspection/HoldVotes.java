package dev.interlock.quorum.internal.inspection;

import dev.interlock.HoldInfo;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The members that say the same of who holds a lock.
 *
 * @param votes what they say
 * @param need how many members must hold it
 * @param all how many members there are
 */
record HoldVotes(Map<Member, HoldInfo> votes, int need, int all) {

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
        .map(votes -> new HoldVotes(votes, members.need(), members.all().size()));
  }

  private static String identity(HoldInfo hold) {
    return hold.owner() + " " + hold.host();
  }

  /**
   * What enough of them say is its token. If no such number agrees and none is missing, the largest
   * one that enough of them have recorded. Else what most say; of equal numbers the smallest, for
   * repairs bring larger ones.
   */
  private long token() {
    Map<Long, Integer> tokens = tokens();
    int most = tokens.values().stream().reduce(0, Math::max);
    if (most < need && votes.size() == all) {
      return votes.values().stream()
          .map(HoldInfo::fencingToken)
          .sorted(Comparator.reverseOrder())
          .skip(need - 1L)
          .findFirst()
          .orElse(0L);
    }
    return tokens.entrySet().stream()
        .filter(token -> token.getValue() == most)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(0L);
  }

  private Map<Long, Integer> tokens() {
    Map<Long, Integer> tokens = new TreeMap<>();
    votes.values().forEach(hold -> tokens.merge(hold.fencingToken(), 1, Integer::sum));
    return tokens;
  }

  /** Which token each of them says. */
  Map<Member, Long> tokensOfMembers() {
    Map<Member, Long> tokens = new LinkedHashMap<>();
    votes.forEach((member, hold) -> tokens.put(member, hold.fencingToken()));
    return tokens;
  }

  /** Whether enough members say the same token. */
  boolean isSettled() {
    return tokens().values().stream().anyMatch(count -> count >= need);
  }

  /**
   * Whether a member says that it is the hold's token, and not that of an earlier hold of the same
   * owner, whose release has not got there yet. Beside such a vote a hold has so few that all of
   * them were raised to one token, unless that member was missing when it was granted. Without it,
   * a hold is also known by the tokens of its members up to its own: a member that got it back has
   * a larger one.
   */
  boolean has(long token) {
    if (!isSaid(token)) {
      return false;
    }
    return isAgreed() ? token == token() : votes.size() < all || token <= token();
  }

  /** Whether a token is that of more members than may have another one. */
  private boolean isAgreed() {
    return tokens().values().stream().anyMatch(count -> count > all - need);
  }

  private boolean isSaid(long token) {
    return votes.values().stream().anyMatch(hold -> hold.fencingToken() == token);
  }

  /**
   * Whether too few of the votes are left.
   *
   * @param ended what members say that were asked to end theirs: whether they did
   */
  boolean endsBy(Map<Member, Boolean> ended) {
    long gone = votes.keySet().stream()
        .filter(member -> ended.getOrDefault(member, false))
        .count();
    return gone > 0 && votes.size() - gone < need;
  }

  /** Whether a member that is missing, and only that one, may know it as the hold's token. */
  boolean mayHave(long token) {
    LongSummaryStatistics tokens =
        votes.values().stream().mapToLong(HoldInfo::fencingToken).summaryStatistics();
    return votes.size() < all
        && !isSaid(token)
        && tokens.getMin() < token
        && token < tokens.getMax();
  }

  /**
   * The first of them, in the order of the members.
   *
   * @param leftOut the places of those that do not count
   */
  Optional<Member> first(Collection<Integer> leftOut) {
    return votes.keySet().stream()
        .filter(member -> !leftOut.contains(member.place()))
        .findFirst();
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
