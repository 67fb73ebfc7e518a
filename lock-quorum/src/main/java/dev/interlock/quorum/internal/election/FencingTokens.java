package dev.interlock.quorum.internal.election;

import dev.interlock.quorum.internal.hold.Standing;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which token a lock has whose members have granted it with tokens of their own. It is larger than
 * those of all holds before, once enough members have recorded it. Thread-safe.
 */
final class FencingTokens {
  private final Members members;
  private final boolean fenced;
  private final long longestLeaseUs;

  FencingTokens(Members members, boolean fenced, Duration longestLease) {
    this.members = members;
    this.fenced = fenced;
    this.longestLeaseUs = TimeUnit.MICROSECONDS.convert(longestLease);
  }

  boolean isFenced() {
    return fenced;
  }

  /** Whether enough members have recorded a token. */
  boolean isRecorded(Collection<Grant> grants, long token) {
    return !fenced || recorded(grants, token) >= members.need();
  }

  /** How many have recorded a token. */
  static long recorded(Collection<Grant> grants, long token) {
    return grants.stream().filter(grant -> grant.fencingToken() >= token).count();
  }

  /**
   * The token of the lock if these count: a repetition has the same one, unless others may have had
   * the lock since the first time.
   *
   * @param kept the grants of enough members
   * @param asked how many members were asked
   */
  long of(Attempt attempt, Standing standing, Map<Member, Grant> kept, int asked) {
    if (standing.isUnbroken()) {
      return standing.token();
    }
    // Not if one may vote later: inspect would take another one of their tokens for the lock's.
    boolean few = asked < members.all().size() && kept.size() == asked;
    return Math.max(
        standing.token(),
        attempt.sharedOwner()
            ? shared(kept.values())
            : next(kept.values(), members.spare(), isYoung(kept.keySet()), longestLeaseUs, few));
  }

  private static boolean isYoung(Collection<Member> voters) {
    return voters.stream().anyMatch(voter -> voter.memory().isYoung());
  }

  /**
   * Another entry of an owner has the token of the hold, though a member may have a larger one,
   * which was heard too late or got the hold back. It is larger than those of all holds before, for
   * each of these members says so.
   */
  private long shared(Collection<Grant> grants) {
    long agreed = agreed(grants);
    return agreed > 0 ? agreed : largest(grants);
  }

  /** The token that enough members have for it; 0 if they do not agree. */
  long agreed(Collection<Grant> grants) {
    Map<Long, Integer> votes = new HashMap<>();
    grants.forEach(grant -> votes.merge(grant.fencingToken(), 1, Integer::sum));
    return votes.entrySet().stream()
        .filter(vote -> vote.getValue() >= members.need())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(0L);
  }

  /**
   * A token that is larger than those of all holds before: the smallest that certainly is.
   *
   * <p>The largest one while the members' memory is young: after the loss of all state only clocks
   * tell of the holds before, and the last token may come from the clock that is furthest ahead.
   * Also if all members are needed, for then the last hold may be that of a client that knows one
   * of them only, as while an application moves from one server to another. And if the members'
   * clocks, and so their tokens, differ by more than a member has to wait that lost its state: its
   * clock does not make up for what it forgot.
   *
   * @param grants of enough members
   * @param spare how many members may be missing
   * @param young whether one of them remembers a short time only
   * @param longestLeaseUs how long a member waits that lost its state, in microseconds
   * @param few whether members are missing, and none of the others will vote later
   */
  static long next(
      Collection<Grant> grants, int spare, boolean young, long longestLeaseUs, boolean few) {
    long largest = largest(grants);
    long least = grants.stream().mapToLong(Grant::fencingToken).min().orElse(0);
    if (young || spare == 0 || largest - least > longestLeaseUs) {
      return largest;
    }
    return few && isBeyond(least, grants) ? least : smallest(grants, spare);
  }

  /**
   * One of these members has recorded the token of the last hold before it granted this one. So a
   * token is larger if it is beyond what each of them had recorded by then, as far as they say so.
   */
  private static boolean isBeyond(long token, Collection<Grant> grants) {
    return grants.stream().allMatch(grant -> 0 < grant.lastToken() && grant.lastToken() < token);
  }

  private static long largest(Collection<Grant> grants) {
    return grants.stream().mapToLong(Grant::fencingToken).max().orElse(0);
  }

  /**
   * Enough members have recorded the token of the last hold, and each of those that votes now has
   * granted a larger one. At least one does so if as few members vote as may, and one more with
   * each further vote.
   */
  private static long smallest(Collection<Grant> grants, int spare) {
    return grants.stream()
        .map(Grant::fencingToken)
        .sorted(Comparator.reverseOrder())
        .skip(grants.size() - spare - 1L)
        .findFirst()
        .orElse(0L);
  }
}
