package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A backend that is made of the members' backends. */
final class QuorumBackend implements LockBackend {
  /** What is left of a grant takes about so long, in nanoseconds. */
  private static final long HALF_DONE = 1_000_000;

  private final Members members;
  private final Election election;
  private final Keeper keeper;
  private final boolean forgetful;
  private final Duration longestLease;
  private final Standings standings;
  private volatile @Nullable BackendEvents engine;

  private QuorumBackend(Settings settings, BackendContext context) {
    this.members = Members.open(settings, context, Relay::new);
    this.election = new Election(
        members, settings.capabilities().contains(Capability.FENCED), settings.longestLease());
    this.forgetful = members.all().stream().anyMatch(member -> !member.isDurable());
    this.longestLease = settings.longestLease();
    this.standings = new Standings(members.all().size());
    this.keeper = new Keeper(members, election, standings);
  }

  static LockBackend open(Settings settings, BackendContext context) {
    return new QuorumBackend(settings, context);
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
      if (standing != null && standing.contended() == member) {
        standing.grantedByRelease();
      }
      wake(grant.name(), grant.id());
    }

    @Override
    public void wake(String name, HoldId memberId) {
      HoldId id = standings.meant(memberId);
      if (id != null) {
        tell(events -> events.wake(name, id));
      }
    }

    @Override
    public void revoked(String name, HoldId memberId) {
      HoldId id = standings.meant(memberId);
      Standing standing = id == null ? null : standings.get(id);
      if (id != null && (standing == null || standing.revokedBy(member) > members.spare())) {
        tell(events -> events.revoked(name, id));
      }
    }

    @Override
    public void inDoubt() {
      tell(BackendEvents::inDoubt);
    }

    private void tell(Consumer<BackendEvents> what) {
      BackendEvents events = engine;
      if (events != null) {
        what.accept(events);
      }
    }
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (Memory.isItsOwn(attempt.name())) {
      throw new IllegalArgumentException(
          "the name '" + attempt.name() + "' is the quorum's own, choose another");
    }
    requireRemembered(attempt.name(), attempt.lease());
    standings.sweep();
    Standing standing = standing(attempt);
    standing.uses(attempt.lease());
    AttemptResult result = election.attempt(attempt, standing);
    if (result instanceof AttemptResult.Busy && !attempt.waits()) {
      standings.remove(standing);
    }
    return result;
  }

  private Standing standing(Attempt attempt) {
    Standing standing = standings.of(attempt.name(), attempt.id());
    if (!standing.isSpent(members.spare())) {
      return standing;
    }
    members.all().stream().filter(standing::isOn).forEach(member -> {
      var unused = Election.giveBack(standing, member);
    });
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
    BackendEvents events = engine;
    keeper.renew(remembered, answers, events == null ? BackendEvents.IGNORED : events);
  }

  @Override
  public boolean release(String name, HoldId id) {
    Standing standing = standings.of(name, id);
    standing.givenBack();
    Round<Boolean> round = new Round<>();
    for (Member member : members.all()) {
      boolean isLive = member.isLive();
      if (isLive || standing.isOn(member)) {
        CompletableFuture<Boolean> answer =
            standing.askBack(member, () -> released(member, standing));
        var unused = answer.whenComplete((held, error) -> {
          if (error != null) {
            member.owes(standing, answer);
          }
        });
        CompletableFuture<Boolean> all = answer.thenCompose(held -> standing.hasFormer(member)
            ? Election.giveBack(standing, member).handle((done, error) -> held)
            : answer);
        if (isLive) {
          round.ask(member, all);
        }
      }
    }
    Member contended = standing.contended();
    round.linger();
    // Whoever comes next asks the contended member first, and must not find the lock held there.
    round.await(answers -> isDecided(answers.values())
        && (contended == null || !contended.isLive() || answers.containsKey(contended)));
    long held = Round.count(round.answers().values(), there -> there);
    long gone = round.answers().size() - held;
    if (held >= members.need() || gone > members.spare()) {
      standings.remove(standing);
      return held >= members.need();
    }
    BackendUnavailableException error = members.unavailable("release", name, round.complaints());
    throw new OutcomeUnknownException(String.valueOf(error.getMessage()), error);
  }

  /** A waiter of this client that the member has granted the lock by this is told by its answer. */
  private CompletableFuture<Boolean> released(Member member, Standing standing) {
    return member.ask(inquiry -> inquiry
        .release(Release.of(standing.name(), standing.idOn(member)))
        .thenApply(result -> {
          Grant next = result.granted();
          if (next != null) {
            new Relay(member).granted(next, System.nanoTime());
          }
          return standing.released(member, result.held());
        }));
  }

  private boolean isDecided(Collection<Boolean> answers) {
    long held = Round.count(answers, there -> there);
    return held >= members.need() || answers.size() - held > members.spare();
  }

  @Override
  public void abandon(String name, HoldId id) {
    Standing standing = standings.of(name, id);
    standing.givenBack();
    Round<Boolean> round = new Round<>();
    boolean unreached = false;
    for (Member member : members.all()) {
      boolean isLive = member.isLive();
      boolean isOn = standing.isOn(member);
      if (isLive || isOn) {
        var answer = standing.giveBack(member);
        if (isLive) {
          round.ask(member, answer);
        } else {
          unreached = true;
        }
      }
    }
    round.await();
    if (unreached || round.isOpen() || !round.failures().isEmpty()) {
      throw members.unavailable("abandon", name, round.complaints());
    }
    standings.remove(standing);
  }

  /** Looks again if it meets a grant half done: the members' tokens are about to be raised. */
  @Override
  public Optional<HoldInfo> inspect(String name) {
    Optional<HoldVotes> hold = poll(name);
    for (long pause = HALF_DONE; pause <= 8 * HALF_DONE; pause *= 2) {
      if (hold.isEmpty() || hold.get().isSettled()) {
        break;
      }
      LockSupport.parkNanos(this, pause);
      hold = poll(name);
    }
    return hold.map(HoldVotes::described);
  }

  private Optional<HoldVotes> poll(String name) {
    Round<Optional<HoldInfo>> round = all(open -> open.inspect(name));
    if (round.answers().size() < members.need()) {
      throw members.unavailable("inspect", name, round.complaints());
    }
    return HoldVotes.of(round.answers(), members);
  }

  /** Lists each lock where the first member that has it lists it. */
  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return new Listing(members, this::poll).list(query);
  }

  /** On each member by the token that the hold has there: one that was repaired has another. */
  @Override
  public boolean forceRelease(String name, long fencingToken) {
    HoldVotes hold = poll(name).orElse(null);
    if (hold != null && hold.mayHave(fencingToken)) {
      String why =
          "one that does not answer may have this token for the hold, or it is that of an earlier one";
      throw members.unavailable("force the release of", name, List.of(why));
    }
    Map<Member, HoldInfo> votes = hold != null && hold.has(fencingToken) ? hold.votes() : Map.of();
    Round<Boolean> round = new Round<>();
    for (Member member : members.live()) {
      HoldInfo vote = votes.get(member);
      long token = vote == null ? fencingToken : vote.fencingToken();
      round.ask(member, member.call(open -> open.forceRelease(name, token)));
    }
    round.await();
    Collection<Boolean> answers = round.answers().values();
    if (answers.size() < members.need()) {
      throw members.unavailable("force the release of", name, round.complaints());
    }
    return answers.stream().anyMatch(there -> there);
  }

  private <T> Round<T> all(Function<LockBackend, T> question) {
    Round<T> round = new Round<>();
    members.live().forEach(member -> round.ask(member, member.call(question)));
    round.await();
    return round;
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
