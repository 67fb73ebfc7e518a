package dev.interlock.quorum;

import dev.interlock.LockRequest;
import dev.interlock.Option;
import java.time.Duration;
import java.util.List;

/** The options of {@code quorum://} besides {@link dev.interlock.CommonOptions}. */
public final class QuorumOptions {
  static final int MOST_MEMBERS = 9;

  /** The URIs of the members, each percent-encoded, in the same order in every client. */
  public static final Option<List<String>> MEMBER = Option.texts("member")
      .that(members -> isAllowed(members.size()), "given for 2 to " + MOST_MEMBERS + " members")
      .secret()
      .mandatory()
      .describedAs("the percent-encoded URI of a member, once for each; all clients must name the"
          + " same members in the same order");

  /** How many members must grant a lock. */
  public static final Option<Need> NEED = Option.choice("need", Need.class, Need.MAJORITY)
      .describedAs("how many members must grant a lock: majority, or all");

  /**
   * The longest lease that a request may have, unless every member is DURABLE. A member that came
   * back without its state does not vote for so long.
   */
  public static final Option<Duration> LONGEST_LEASE = Option.duration(
          "longestLease", Duration.ofMinutes(1))
      .atLeast(Duration.ofSeconds(1))
      .atMost(LockRequest.MAX_LEASE)
      .describedAs("the longest lease of a request, and so for how long a member that lost its"
          + " state does not vote");

  private QuorumOptions() {}

  static boolean isAllowed(int members) {
    return members >= 2 && members <= MOST_MEMBERS;
  }
}
