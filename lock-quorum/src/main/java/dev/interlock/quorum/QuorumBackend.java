package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.quorum.internal.election.Election;
import dev.interlock.quorum.internal.hold.Debts;
import dev.interlock.quorum.internal.hold.GiveBack;
import dev.interlock.quorum.internal.hold.Keeper;
import dev.interlock.quorum.internal.hold.Releases;
import dev.interlock.quorum.internal.hold.Repairs;
import dev.interlock.quorum.internal.hold.Standing;
import dev.interlock.quorum.internal.hold.Standings;
import dev.interlock.quorum.internal.inspection.Inspection;
import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Membership;
import dev.interlock.quorum.internal.member.Memory;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A backend that is made of the members' backends. */
final class QuorumBackend implements LockBackend {
  private final Members members;
  private final Election election;
  private final Keeper keeper;
  private final Releases releases;
  private final Inspection inspection;
  private final boolean forgetful;
  private final Duration longestLease;
  private final Standings standings;
  private volatile @Nullable BackendEvents engine;

  private QuorumBackend(Membership quorum, BackendContext context) {
    Debts debts = new Debts();
    boolean fenced = quorum.capabilities().contains(Capability.FENCED);
    Repairs repairs = new Repairs(fenced);
    this.standings = new Standings(quorum.members().size(), debts);
    this.members = Members.open(quorum, context, Relay::new, debts::pay);
    this.election = new Election(members, repairs, standings, fenced, quorum.longestLease());
    this.keeper = new Keeper(members, repairs, standings);
    this.releases = new Releases(members, standings);
    this.inspection = new Inspection(members);
    this.forgetful = members.all().stream().anyMatch(member -> !member.isDurable());
    this.longestLease = quorum.longestLease();
  }

  static LockBackend open(Membership quorum, BackendContext context) {
    return new QuorumBackend(quorum, context);
  }

  Members members() {
    return members;
  }

  Standings standings() {
    return standings;
  }

  @Override
  public void subscribe(BackendEvents events) {
    engine = events;
  }

  /** The events of one member, as those of the quorum. */
  private final class Relay implements BackendEvents {
    private final Member member;

    Relay(Member member) {
      this.member = member;
    }

    /** One vote is no lock: the engine repeats the attempt, which asks the others. */
    @Override
    public void granted(Grant grant, long notBeforeNanos) {
      HoldId id = standings.meant(grant.id());
      Standing standing = id == null ? null : standings.get(id);
      if (standing != null && standing.places().contended() == member) {
        standing.places().grantedByRelease();
      }
      wake(grant.name(), grant.id());
    }

    @Override
    public void wake(String name, HoldId memberId) {
      HoldId id = standings.meant(memberId);
      if (id == null) {
        return;
      }
      Standing standing = standings.get(id);
      if (standing != null) {
        keeper.called(member, standing, engineOrNobody());
      }
      engineOrNobody().wake(name, id);
    }

    @Override
    public void revoked(String name, HoldId memberId) {
      HoldId id = standings.meant(memberId);
      Standing standing = id == null ? null : standings.get(id);
      if (id == null || (standing != null && !isLost(standing))) {
        return;
      }
      if (standing != null && standing.isHeld()) {
        var unused = GiveBack.onAll(members, standing); // those that were not reached have it yet
      }
      engineOrNobody().revoked(name, id);
    }

    /** What is no hold yet, or is being released, is taken to have the votes of all. */
    private boolean isLost(Standing standing) {
      boolean byMost = standing.endings().revokedBy(member) > members.spare();
      return byMost || (standing.isHeld() && isLeftToTooFew(standing));
    }

    @Override
    public void inDoubt() {
      engineOrNobody().inDoubt();
    }
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (Memory.isItsOwn(attempt.name())) {
      throw new LockException(
          "the name '" + attempt.name() + "' is the quorum's own, choose another");
    }
    requireRemembered(attempt.name(), attempt.lease());
    standings.sweep();
    // The engine comes back to one that has waited, had no answer, or got the lock, and ends it.
    boolean comesBack = attempt.waits() || standings.get(attempt.id()) != null;
    Standing standing = standing(attempt);
    standing.uses(attempt.lease());
    boolean gotNothing = false;
    try (Caller caller = new Caller()) {
      AttemptResult result = election.attempt(caller, attempt, standing);
      gotNothing = result instanceof AttemptResult.Busy;
      if (result instanceof Grant && isLeftToTooFew(standing)) {
        engineOrNobody().revoked(attempt.name(), attempt.id()); // while the last votes came in
      }
      return result;
    } catch (LockException e) {
      gotNothing = standing.hasGivenNothingBack(); // or the next by this id may lose its votes
      throw e;
    } finally {
      if (gotNothing && !comesBack) {
        standings.remove(standing);
      }
    }
  }

  private boolean isLeftToTooFew(Standing standing) {
    return standing.endings().isLeftToAtMost(members.need() - 1);
  }

  private Standing standing(Attempt attempt) {
    Standing standing = standings.of(attempt.name(), attempt.id());
    if (!standing.isSpent(members.spare())) {
      return standing;
    }
    var unused = GiveBack.onAll(members, standing);
    return standings.rename(standing);
  }

  /** A member that lost its state must not vote as long as what it forgot may be held. */
  private void requireRemembered(String name, Duration lease) {
    if (forgetful && lease.compareTo(longestLease) > 0) {
      throw new LockException(
          "Lock '%s' was asked for with a lease of %s, and longestLease is %s: a member that lost its state votes again after that time. Set longestLease of quorum:// to the longest lease that is used"
              .formatted(name, lease, longestLease));
    }
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Renewal> remembered = new ArrayList<>();
    for (Renewal renewal : batch) {
      try {
        requireRemembered(renewal.name(), renewal.lease());
        remembered.add(renewal);
      } catch (LockException e) {
        answers.answer(renewal, RenewalResult.failed(e));
      }
    }
    keeper.renew(remembered, answers, engineOrNobody());
  }

  private BackendEvents engineOrNobody() {
    BackendEvents events = engine;
    return events == null ? BackendEvents.IGNORED : events;
  }

  @Override
  public boolean release(String name, HoldId id) {
    try (Caller caller = new Caller()) {
      return releases.release(
          caller, name, id, (member, next) -> new Relay(member).granted(next, System.nanoTime()));
    }
  }

  @Override
  public void abandon(String name, HoldId id) {
    releases.abandon(name, id);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspection.inspect(name);
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return inspection.list(query);
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return inspection.forceRelease(name, fencingToken);
  }

  @Override
  public String server() {
    return members.servers();
  }

  @Override
  public void close() {
    members.close();
  }
}
