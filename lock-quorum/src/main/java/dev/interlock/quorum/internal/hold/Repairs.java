package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Brings one member to what the others have: the token of a lock, or a hold. Thread-safe. */
public final class Repairs {
  private final boolean fenced;

  /**
   * Creates.
   *
   * @param fenced whether locks have tokens
   */
  public Repairs(boolean fenced) {
    this.fenced = fenced;
  }

  /** Has a member record a token for what it has granted. */
  public static CompletableFuture<Boolean> raise(
      @Nullable Caller caller, Member member, Attempt attempt, long token) {
    Renewal renewal =
        Renewal.of(attempt.name(), attempt.id(), attempt.lease(), false).withMinToken(token);
    return member.ask(
        caller,
        inquiry -> inquiry
            .renew(renewal)
            .thenApply(result -> result instanceof Grant grant && grant.fencingToken() >= token));
  }

  /** A vote that came when the lock was granted already: its token must be the quorum's as well. */
  public void adopt(
      @Nullable Caller caller,
      Standing standing,
      Member member,
      Attempt attempt,
      AttemptResult vote) {
    if (fenced && standing.isHeld() && vote instanceof Grant grant) {
      long token = standing.token();
      if (grant.fencingToken() < token) {
        // Not behind a release, which would then owe nothing if it fails.
        var unused = standing.askWhileHeld(
            member, () -> raise(caller, member, standing.on(member, attempt), token));
      }
    }
  }

  /**
   * Asks a member that lost a hold of this client, or never had it, to have it from now on: for as
   * long as the others, or that one would be found busy when the hold has run out on them. If it
   * has granted the lock to another, the hold queues there: those who wait ask this member first,
   * so it may never be free at the moment of a repair. What releases a hold, or gives it back,
   * gives that place up.
   *
   * @param attempt that has become the hold
   * @param least how long the hold must last
   * @return its answer; none ever if the hold was given back meanwhile
   */
  CompletableFuture<AttemptResult> repair(
      Standing standing, Member member, Attempt attempt, Duration least) {
    return standing
        .askWhileHeld(
            member,
            () -> member.call(open -> {
              Attempt lost = rest(standing, member, attempt, least);
              standing.places().asks(member);
              standing.endings().askedOf(member);
              AttemptResult vote = open.attempt(lost.withPatience(lost.lease()));
              if (vote instanceof Grant) {
                standing.places().grantedAt(member);
              }
              return vote;
            }))
        .thenApply(vote -> {
          if (vote instanceof Grant) {
            standing.endings().grantedBy(member);
          }
          adopt(null, standing, member, rest(standing, member, attempt, least), vote);
          return vote;
        });
  }

  private static Attempt rest(Standing standing, Member member, Attempt attempt, Duration least) {
    Duration left = standing.validity().left();
    return MemberIds.by(standing.idOn(member), attempt, left.compareTo(least) > 0 ? left : least);
  }
}
