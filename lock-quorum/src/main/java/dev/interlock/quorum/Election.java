package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gets a lock from the members.
 *
 * <p>First the contended member is asked, which is the first that answers, in the order of all
 * clients: there they queue, so votes do not split. Once it grants the lock, the others are asked
 * at once, without patience; they are asked beside it where nobody was in the way the last time.
 * Then every vote is confirmed: the tokens are raised to the largest of them, and the members'
 * memory is looked at.
 *
 * <p>Each step on a member is atomic and may be repeated; the quorum's own state is nothing but the
 * sum of them. The client dies between steps: what it has on the members ends with its leases, and
 * never was a lock, for nobody was told so. An answer is lost: that vote does not count, and is
 * given back behind the question. A step runs late: it is on the same hold id, and the giving back
 * is asked of the member after it. That giving back runs late: see {@link Standing}. Tokens grow
 * because two majorities share a member: it grants the second hold only after it has recorded the
 * token of the first.
 */
final class Election {
  /**
   * How often members are asked again that are still held: the last holder's release is under way.
   */
  private static final int LOOKS = 6;

  private static final long FIRST_LOOK = 500_000;

  /** After votes have split, and members that are out of step hold the lock for somebody. */
  private static final Duration SPLIT = Duration.ofMillis(100);

  private final Members members;
  private final boolean fenced;
  private final Calm calm = new Calm();

  Election(Members members, boolean fenced) {
    this.members = members;
    this.fenced = fenced;
  }

  AttemptResult attempt(Attempt asked, Standing standing) {
    if (!members.mayGrant()) {
      throw members.unavailable("grant", asked.name(), List.of());
    }
    long sentAt = System.nanoTime();
    long sentAtMillis = System.currentTimeMillis();
    Attempt attempt = standing.onMembers(asked).withTokens(1);
    // One that has stood in a queue was in somebody's way, and others may stand behind it.
    boolean isFirst = standing.contended() == null;
    Votes votes = new Votes();
    if (!standing.isHeld() && !standing.isGrantedByRelease()) {
      AttemptResult first = contend(attempt, standing, votes);
      if (first != null) {
        return first;
      }
    }
    AttemptResult result = poll(attempt, standing, votes, isFirst);
    if (result instanceof Grant grant) {
      standing.holds(
          attempt.withPatience(Duration.ZERO), grant.fencingToken(), sentAt, sentAtMillis);
      return AttemptResult.granted(asked, fenced ? grant.fencingToken() : 0);
    }
    return result;
  }

  /** Asks the contended member. Answers null if it has granted the lock. */
  private @Nullable AttemptResult contend(Attempt attempt, Standing standing, Votes votes) {
    List<String> complaints = new ArrayList<>();
    List<Member> order = order(standing);
    LockException refusal = null;
    boolean unknown = false;
    for (Member member : order) {
      Round<AttemptResult> round = new Round<>();
      votes.asks(member);
      round.ask(member, standing.ask(member, open -> open.attempt(attempt)));
      if (calm.isCalm(attempt.name()) && member == order.get(0)) {
        askEarly(attempt, standing, votes, order);
      }
      round.await();
      AttemptResult answer = round.answers().get(member);
      if (answer instanceof Grant grant) {
        standing.contendsAt(member);
        votes.granted.put(member, grant);
        return null;
      }
      calm.contended(attempt.name());
      // Whoever has the lock, or gets it next, must not find these in its way.
      for (Member asked : votes.dropEarly()) {
        var unused = giveBack(standing, asked);
      }
      if (answer != null) {
        standing.contendsAt(member);
        return answer;
      }
      complaints.addAll(round.complaints());
      if (round.isOpen() || isUnknown(round.failures())) {
        unknown = true;
        var unused = giveBack(standing, member);
      }
      refusal = refusal == null ? refusal(round.failures()) : refusal;
    }
    throw refusal != null ? refusal : failed(attempt.name(), complaints, unknown);
  }

  /**
   * Asks the others beside the first. If somebody else gets that one, their votes are given back
   * behind the question, and the other client's election asks them again meanwhile.
   */
  private void askEarly(Attempt attempt, Standing standing, Votes votes, List<Member> order) {
    for (Member member : order.subList(1, order.size())) {
      votes.asks(member);
      votes.askedEarly(member, ask(attempt, standing, member));
    }
  }

  /** Asks without patience: the attempt queues at the contended member only. */
  private CompletableFuture<AttemptResult> ask(Attempt attempt, Standing standing, Member member) {
    Attempt once = attempt.withPatience(Duration.ZERO);
    CompletableFuture<AttemptResult> vote = standing.ask(member, open -> open.attempt(once));
    var unused = vote.thenAccept(late -> adopt(standing, member, attempt, late));
    return vote;
  }

  private List<Member> order(Standing standing) {
    List<Member> order = new ArrayList<>(members.live());
    Member before = standing.contended();
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
    return failures.stream()
        .filter(failure -> !(failure instanceof BackendUnavailableException)
            && !(failure instanceof OutcomeUnknownException))
        .findFirst()
        .orElse(null);
  }

  /**
   * Asks all who have not granted it yet, until enough have.
   *
   * @param isFirst whether no member was asked for this attempt before the present call
   */
  private AttemptResult poll(Attempt attempt, Standing standing, Votes votes, boolean isFirst) {
    Map<Member, Grant> granted = votes.granted;
    Map<Member, AttemptResult.Busy> busy = new LinkedHashMap<>();
    List<String> complaints = List.of();
    long pause = FIRST_LOOK;
    for (int look = 0; look < LOOKS; look++) {
      Round<AttemptResult> round = new Round<>();
      for (Member member : members.live()) {
        if (!granted.containsKey(member)) {
          CompletableFuture<AttemptResult> early = votes.takeEarly(member);
          if (early == null) {
            votes.asks(member);
            early = ask(attempt, standing, member);
          }
          round.ask(member, early);
        }
      }
      round.await(answers -> voters(granted) + voters(answers) >= members.need()
          && (!attempt.sharedOwner() || agreed(granted, answers) > 0));
      busy.clear();
      round.answers().forEach((member, answer) -> {
        if (answer instanceof Grant grant) {
          granted.put(member, grant);
        } else if (answer instanceof AttemptResult.Busy held) {
          busy.put(member, held);
        }
      });
      complaints = round.complaints();
      int answered = granted.size() + busy.size();
      if (voters(granted) >= members.need()) {
        long token = token(standing, granted);
        if (isConfirmed(attempt, standing, votes, token)) {
          if (isFirst && look == 0 && busy.isEmpty()) {
            calm.free(attempt.name());
          }
          return AttemptResult.granted(attempt, token);
        }
      }
      calm.contended(attempt.name());
      if (voters(granted) + busy.size() < members.need()) {
        // They may all have been emptied and begun anew. Ask again, for these grants are forgotten.
        granted.keySet().removeIf(member -> !member.memory().isTrusted());
        if (answered < members.need() || !members.mayGrant()) {
          break;
        }
      }
      LockSupport.parkNanos(this, pause);
      pause *= 2;
    }
    if (standing.isHeld()) {
      // The engine may use this hold, and sees to it that it goes if it does not.
      throw failed(attempt.name(), complaints, true);
    }
    giveBack(standing);
    if (busy.isEmpty()) {
      throw failed(attempt.name(), complaints, true);
    }
    return AttemptResult.busy(soonest(busy.values()));
  }

  /** How many of those who have granted it may vote: one that forgot may be wrong. */
  private static long voters(Map<Member, ? extends AttemptResult> answers) {
    return answers.entrySet().stream()
        .filter(answer ->
            answer.getValue() instanceof Grant && answer.getKey().memory().isTrusted())
        .count();
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

  /** Has every vote confirmed, and makes it the quorum's grant if enough are. */
  private boolean isConfirmed(Attempt attempt, Standing standing, Votes votes, long token) {
    Map<Member, Grant> granted = votes.granted;
    Round<Boolean> round = new Round<>();
    granted.forEach((member, grant) -> round.ask(
        member,
        isRaised(attempt, standing, member, grant, token)
            .thenCombine(isKept(member, votes.marks.get(member)), Boolean::logicalAnd)));
    round.await(answers -> Round.count(answers, vote -> vote) >= members.need());
    // One that forgot its grant is asked again, for it may be trusted again before the next look.
    round.answers().forEach((member, vote) -> {
      if (!vote) {
        granted.remove(member);
      }
    });
    return Round.count(round.answers(), vote -> vote) >= members.need();
  }

  /** A repetition has the same token, unless others may have had the lock since the first time. */
  private long token(Standing standing, Map<Member, Grant> granted) {
    if (standing.isUnbroken()) {
      return standing.token();
    }
    long largest =
        granted.values().stream().mapToLong(Grant::fencingToken).max().orElseThrow();
    long agreed = agreed(granted, Map.of());
    return Math.max(standing.token(), agreed > 0 ? agreed : largest);
  }

  /**
   * The token that enough members have for it; 0 if they do not agree. Another entry of an owner
   * has that of the hold, though a member may have a larger one, which was heard too late or got
   * the hold back. It is larger than those of all holds before, for each of these members says so.
   */
  private long agreed(Map<Member, Grant> granted, Map<Member, AttemptResult> answers) {
    Map<Long, Integer> votes = new HashMap<>();
    Stream.concat(granted.entrySet().stream(), answers.entrySet().stream())
        .filter(vote -> vote.getKey().memory().isTrusted())
        .map(Map.Entry::getValue)
        .filter(Grant.class::isInstance)
        .forEach(grant -> votes.merge(((Grant) grant).fencingToken(), 1, Integer::sum));
    return votes.entrySet().stream()
        .filter(vote -> vote.getValue() >= members.need())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(0L);
  }

  private CompletableFuture<Boolean> isRaised(
      Attempt attempt, Standing standing, Member member, Grant grant, long token) {
    return fenced && grant.fencingToken() < token
        ? standing.ask(member, open -> isRaised(open, attempt, token))
        : CompletableFuture.completedFuture(true);
  }

  private static CompletableFuture<Boolean> isKept(Member member, @Nullable String mark) {
    return member.isDurable()
        ? CompletableFuture.completedFuture(member.memory().isTrusted())
        : member.call(open -> member.memory().isKept(open, mark));
  }

  private static boolean isRaised(LockBackend open, Attempt attempt, long token) {
    Renewal renewal =
        Renewal.of(attempt.name(), attempt.id(), attempt.lease(), false).withMinToken(token);
    RenewalResult result = RenewalAnswers.collect(open, List.of(renewal)).get(0);
    return result instanceof Grant grant && grant.fencingToken() >= token;
  }

  /** A vote that came when the lock was granted already: its token must be the quorum's as well. */
  private void adopt(Standing standing, Member member, Attempt attempt, AttemptResult vote) {
    if (fenced && standing.isHeld() && vote instanceof Grant grant) {
      long token = standing.token();
      if (grant.fencingToken() < token) {
        // Not behind a release, which would then owe nothing if it fails.
        var unused = standing.askWhileHeld(member, open -> isRaised(open, attempt, token));
      }
    }
  }

  /** Asks a member that lost a hold of this client, or never had it, to have it from now on. */
  void repair(Standing standing, Member member, Attempt attempt) {
    var unused = standing.askWhileHeld(member, open -> open.attempt(attempt)).thenAccept(vote -> {
      standing.repairedAt(member);
      adopt(standing, member, attempt, vote);
    });
  }

  /** Takes back what an attempt has on the members, and waits a little until that is done. */
  private static void giveBack(Standing standing, Collection<Member> members) {
    standing.givenBack();
    Round<Boolean> round = new Round<>();
    for (Member member : members) {
      if (standing.isOn(member)) {
        CompletableFuture<Boolean> back = giveBack(standing, member);
        if (member.isLive()) {
          round.ask(member, back);
        }
      }
    }
    round.await();
  }

  private void giveBack(Standing standing) {
    giveBack(standing, members.all());
  }

  /** Takes back what an attempt has on one member; later if that fails now. */
  static CompletableFuture<Boolean> giveBack(Standing standing, Member member) {
    CompletableFuture<Boolean> back = standing.giveBack(member);
    return back.whenComplete((done, error) -> {
      if (error != null) {
        member.owes(standing, back);
      }
    });
  }

  private LockException failed(String name, List<String> complaints, boolean unknown) {
    BackendUnavailableException error = members.unavailable("grant", name, complaints);
    return unknown ? new OutcomeUnknownException(String.valueOf(error.getMessage()), error) : error;
  }
}
