package dev.interlock.quorum.internal.election;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.hold.GiveBack;
import dev.interlock.quorum.internal.hold.QueuePlaces;
import dev.interlock.quorum.internal.hold.Repairs;
import dev.interlock.quorum.internal.hold.Standing;
import dev.interlock.quorum.internal.hold.Standings;
import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Inquiry;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gets a lock from the members.
 *
 * <p>First the contended member is asked, which is the first that answers, in the order of all
 * clients: there they queue, so votes do not split. Once it grants the lock, the others are asked
 * at once, without patience; they are asked beside it where nobody was in the way the last time.
 * The members' memory is looked at behind each vote. The token is the smallest that is certainly
 * larger than all before; where too few members have granted so large a one, theirs are raised.
 *
 * <p>Each step on a member is atomic and may be repeated; the quorum's own state is nothing but the
 * sum of them. The client dies between steps: what it has on the members ends with its leases, and
 * never was a lock, for nobody was told so. An answer is lost: that vote does not count, and is
 * given back behind the question. A step runs late: it is on the same hold id, and the giving back
 * is asked of the member after it. That giving back runs late: see {@link Standing}. Tokens grow
 * because two majorities share a member: it grants the second hold only after it has recorded the
 * token of the first.
 */
public final class Election {
  /** How long the others have once enough have granted it, in nanoseconds: about a round trip. */
  private static final long SOON = 1_000_000;

  /** After votes have split, and members that are out of step hold the lock for somebody. */
  private static final Duration SPLIT = Duration.ofMillis(100);

  private final Members members;
  private final Repairs repairs;
  private final Standings standings;
  private final FencingTokens tokens;
  private final Calm calm = new Calm();

  /**
   * Creates.
   *
   * @param standings all attempts of this client
   * @param fenced whether locks have tokens
   * @param longestLease how long a member waits that lost its state
   */
  public Election(
      Members members,
      Repairs repairs,
      Standings standings,
      boolean fenced,
      Duration longestLease) {
    this.members = members;
    this.repairs = repairs;
    this.standings = standings;
    this.tokens = new FencingTokens(members, fenced, longestLease);
  }

  public AttemptResult attempt(Caller caller, Attempt asked, Standing standing) {
    if (!members.mayGrant()) {
      throw members.unavailable("grant", asked.name(), List.of());
    }
    long sentAt = System.nanoTime();
    long sentAtMillis = System.currentTimeMillis();
    Attempt attempt = asked.withTokens(1);
    // One that has stood in a queue was in somebody's way, and others may stand behind it.
    boolean isFirst = standing.places().contended() == null;
    Looks looks = new Looks(attempt, sentAt, standing.places().mayHaveItsTurn());
    Votes votes = new Votes(caller, standing.endings());
    if (!standing.isHeld() && !standing.places().isGrantedByRelease()) {
      AttemptResult first = contend(attempt, standing, votes);
      if (first != null) {
        return first;
      }
    }
    AttemptResult result = poll(attempt, standing, votes, looks, isFirst);
    if (result instanceof Grant grant) {
      standing.holds(
          attempt.withPatience(Duration.ZERO), grant.fencingToken(), sentAt, sentAtMillis);
      return AttemptResult.granted(asked, tokens.isFenced() ? grant.fencingToken() : 0);
    }
    return result;
  }

  /** Asks the contended member. Answers null if it has granted the lock. */
  private @Nullable AttemptResult contend(Attempt attempt, Standing standing, Votes votes) {
    List<Member> order = order(standing);
    List<Member> leftOut = members.allBut(order);
    List<String> complaints = complaints(leftOut);
    for (Member member : leftOut) {
      if (standings.outlastsFault(attempt, standing, member)) {
        throw QueuePlaces.fault(attempt.name(), member.complaint(), false);
      }
    }
    LockException refusal = null;
    boolean unknown = false;
    boolean beside = calm.isCalm(attempt.name());
    for (int i = 0; i < order.size(); ) {
      Member member = order.get(i);
      boolean mayStandThere = standing.places().mayBeAt(member) && standing.isKeptBy(member);
      Round<Vote> round = new Round<>(votes.caller());
      if (beside) {
        round.ask(member, ask(attempt, standing, votes, member));
        askEarly(attempt, standing, votes, order);
      } else {
        round.ask(member, queue(attempt, standing, votes, member));
      }
      round.await();
      Vote vote = round.answers().get(member);
      if (vote != null && !(vote.answer() instanceof AttemptResult.Busy)) {
        standings.answered(attempt.name(), member);
      }
      if (vote != null && vote.answer() instanceof Grant grant) {
        standing.places().contendsAt(member, false);
        votes.granted.put(member, grant);
        if (beside) {
          votes.askedEarly(member, CompletableFuture.completedFuture(vote));
        }
        return null;
      }
      calm.contended(attempt.name());
      // Whoever has the lock, or gets it next, must not find these in its way.
      for (Member asked : votes.dropEarly()) {
        var unused = GiveBack.on(asked, standing);
      }
      boolean asksOn = beside && attempt.waits();
      beside = false;
      if (vote != null && asksOn) {
        continue; // now for a place in its queue
      }
      if (vote != null) {
        standing.places().contendsAt(member, vote.answer() instanceof AttemptResult.Queued);
        // Or those would grant the lock to one who does not contend there.
        for (Member later : standing.places().leaveAfter(member)) {
          var unused = GiveBack.on(later, standing);
        }
        return vote.answer();
      }
      i++;
      complaints.addAll(round.complaints());
      if (round.isOpen() || isUnknown(round.failures())) {
        unknown = true;
        if (!mayStandThere) { // or it keeps its place, to which it returns
          var unused = GiveBack.on(member, standing);
        }
      }
      refusal = refusal == null ? refusal(round.failures()) : refusal;
      if (refusal == null && standings.outlastsFault(attempt, standing, member)) {
        throw QueuePlaces.fault(attempt.name(), String.join("; ", complaints), unknown);
      }
    }
    throw refusal != null ? refusal : failed(attempt.name(), complaints, unknown);
  }

  /**
   * Asks the others beside the first. If somebody else gets that one, their votes are given back
   * behind the question, and the other client's election asks them again meanwhile.
   */
  private void askEarly(Attempt attempt, Standing standing, Votes votes, List<Member> order) {
    for (Member member : order.subList(1, order.size())) {
      votes.askedEarly(member, ask(attempt, standing, votes, member));
    }
  }

  /**
   * Asks without patience: an attempt queues at the contended member only. Behind a grant the
   * member's memory is looked at, on the same way there and back where its backend can.
   */
  private CompletableFuture<Vote> ask(
      Attempt attempt, Standing standing, Votes votes, Member member) {
    Attempt now = attempt.withPatience(Duration.ZERO);
    String mark = votes.asks(member);
    CompletableFuture<Vote> vote = standing.ask(
        member,
        () -> member.ask(
            votes.caller(),
            inquiry -> inquiry
                .attempt(standing.on(member, now))
                .thenCompose(answer -> vote(answer, inquiry, standing, member, mark))));
    var unused = vote.thenAccept(
        late -> repairs.adopt(votes.caller(), standing, member, attempt, late.answer()));
    return vote;
  }

  private static CompletableFuture<Vote> vote(
      AttemptResult answer,
      Inquiry inquiry,
      Standing standing,
      Member member,
      @Nullable String mark) {
    if (!(answer instanceof Grant)) {
      return CompletableFuture.completedFuture(new Vote(answer, null));
    }
    standing.places().grantedAt(member);
    standing.endings().grantedBy(member);
    CompletableFuture<Boolean> kept;
    try {
      kept = member.memory().isKept(inquiry, mark);
    } catch (LockException e) {
      kept = CompletableFuture.failedFuture(e);
    }
    // A look that fails after a grant must not hide that there is one to be given back.
    return kept.handle((keeps, error) -> new Vote(answer, error == null && keeps ? mark : null));
  }

  /** Asks with patience. The others are asked while this one's memory is looked at. */
  private static CompletableFuture<Vote> queue(
      Attempt attempt, Standing standing, Votes votes, Member member) {
    var unused = votes.asks(member);
    return standing.ask(
        member,
        () -> member.call(open -> {
          // Not before: an earlier vote may be under way, and its grant is no end of this place.
          if (attempt.waits()) {
            standing.places().asks(member);
          }
          AttemptResult answer = open.attempt(standing.on(member, attempt));
          if (answer instanceof Grant) {
            standing.places().grantedAt(member);
            standing.endings().grantedBy(member);
          }
          return new Vote(answer, null);
        }));
  }

  private List<Member> order(Standing standing) {
    List<Member> order = new ArrayList<>(members.live());
    Member before = standing.places().contended();
    if (before != null && order.remove(before)) {
      order.add(0, before);
    }
    return order;
  }

  private static boolean isUnknown(Collection<LockException> failures) {
    return failures.stream().anyMatch(OutcomeUnknownException.class::isInstance);
  }

  /** A refusal, such as missing rights, is the caller's to see unless another member grants it. */
  private static @Nullable LockException refusal(Collection<LockException> failures) {
    return failures.stream().filter(Round::isRefusal).findFirst().orElse(null);
  }

  /**
   * Asks all who have not granted it yet, until enough have.
   *
   * @param isFirst whether no member was asked for this attempt before the present call
   */
  private AttemptResult poll(
      Attempt attempt, Standing standing, Votes votes, Looks looks, boolean isFirst) {
    Map<Member, AttemptResult.Busy> busy = new LinkedHashMap<>();
    List<String> complaints = new ArrayList<>();
    while (looks.next(votes.caller())) {
      Round<Vote> round = new Round<>(votes.caller());
      List<Member> live = members.live();
      complaints = complaints(members.allBut(live));
      for (Member member : live) {
        round.ask(member, votes.of(member, other -> ask(attempt, standing, votes, other)));
      }
      Map<Member, Vote> answers = await(round, attempt, standing, votes, live.size());
      busy.clear();
      answers.forEach((member, vote) -> {
        if (vote.answer() instanceof AttemptResult.Busy held) {
          busy.put(member, held);
        }
      });
      complaints.addAll(round.complaints());
      Map<Member, Grant> kept = votes.take(answers);
      if (kept.size() >= members.need()) {
        long token = tokens.of(attempt, standing, kept, live.size());
        if (isRecorded(attempt, standing, votes, kept, token)) {
          if (isFirst && looks.isFirst() && busy.isEmpty()) {
            calm.free(attempt.name());
          }
          return AttemptResult.granted(attempt, token);
        }
      }
      calm.contended(attempt.name());
      // They may all have been emptied and begun anew. Then ask again, for those grants are gone.
      // Or cut off for a moment: who has waited would lose its turn by giving back what it has.
      if (kept.size() + busy.size() < members.need()
          && (answers.size() < members.need() ? isFirst : !members.mayGrant())) {
        break;
      }
    }
    if (standing.isHeld()) {
      // The engine may use this hold, and sees to it that it goes if it does not.
      throw failed(attempt.name(), complaints, true);
    }
    GiveBack.await(members, standing, votes.caller());
    if (busy.isEmpty()) {
      throw failed(attempt.name(), complaints, true);
    }
    return AttemptResult.busy(soonest(busy.values()));
  }

  private static Duration soonest(Collection<AttemptResult.Busy> busy) {
    Duration split =
        SPLIT.dividedBy(2).plusNanos(ThreadLocalRandom.current().nextLong(SPLIT.toNanos() / 2));
    return busy.stream()
        .map(AttemptResult.Busy::recheck)
        .filter(recheck -> recheck.compareTo(split) < 0)
        .min(Duration::compareTo)
        .orElse(split);
  }

  /**
   * Waits until enough members have granted it, and then a little for the others: with their votes
   * no token may have to be raised, which costs as much.
   */
  private Map<Member, Vote> await(
      Round<Vote> round, Attempt attempt, Standing standing, Votes votes, int asked) {
    Predicate<Map<Member, Vote>> agree = answers -> {
      Map<Member, Grant> kept = votes.counted(answers);
      return kept.size() >= members.need()
          && tokens.isRecorded(kept.values(), tokens.of(attempt, standing, kept, asked));
    };
    round.await(answers -> votes.counted(answers).size() >= members.need()
        && (!attempt.sharedOwner() || tokens.agreed(votes.counted(answers).values()) > 0));
    if (votes.counted(round.answers()).size() >= members.need()) {
      round.await(agree, SOON);
    }
    return round.answers();
  }

  /** Sees to it that enough members have recorded the token, so that every later one is larger. */
  private boolean isRecorded(
      Attempt attempt, Standing standing, Votes votes, Map<Member, Grant> kept, long token) {
    if (tokens.isRecorded(kept.values(), token)) {
      return true;
    }
    long there = FencingTokens.recorded(kept.values(), token);
    Round<Boolean> round = new Round<>(votes.caller());
    kept.forEach((member, grant) -> {
      if (grant.fencingToken() < token) {
        round.ask(
            member,
            standing.ask(
                member,
                () -> Repairs.raise(votes.caller(), member, standing.on(member, attempt), token)));
      }
    });
    round.await(answers -> there + Round.count(answers, raised -> raised) >= members.need());
    round.answers().forEach((member, raised) -> {
      if (!raised) {
        votes.granted.remove(member);
      }
    });
    return there + Round.count(round.answers(), raised -> raised) >= members.need();
  }

  /** Of members that are not asked. Told now, for they may be back before the failure is told. */
  private static List<String> complaints(List<Member> leftOut) {
    return leftOut.stream().map(Member::complaint).collect(Collectors.toCollection(ArrayList::new));
  }

  private LockException failed(String name, List<String> complaints, boolean unknown) {
    BackendUnavailableException error = members.unavailable("grant", name, complaints);
    return unknown ? new OutcomeUnknownException(String.valueOf(error.getMessage()), error) : error;
  }
}
