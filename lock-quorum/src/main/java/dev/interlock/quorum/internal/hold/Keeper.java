package dev.interlock.quorum.internal.hold;

import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps holds and queue entries alive: holds on all members, an entry on the one in whose queue it
 * stands, and on those before it that may have kept a place of it: it returns there. A hold is kept
 * if enough members have it, and gone if so many have lost it that enough cannot be left. Members
 * that have lost one that is kept are asked to have it again; those that may yet give it back, by
 * another id. Thread-safe.
 */
public final class Keeper {
  private final Members members;
  private final Repairs repairs;
  private final Standings standings;

  /** Creates. */
  public Keeper(Members members, Repairs repairs, Standings standings) {
    this.members = members;
    this.repairs = repairs;
    this.standings = standings;
  }

  /**
   * Renews. Returns once all are answered: those that are open when no member has voted for a while
   * as unknown. A large batch may take longer than that.
   *
   * @param events told of a queued attempt that the contended member has granted, and of a hold
   *     that was found gone behind its answer
   */
  public void renew(List<Renewal> batch, RenewalAnswers answers, BackendEvents events) {
    CountDownLatch open = new CountDownLatch(batch.size());
    RenewalAnswers counted = (renewal, result) -> {
      try {
        answers.answer(renewal, result);
      } finally {
        open.countDown();
      }
    };
    List<Ballot> ballots = new ArrayList<>();
    for (Renewal renewal : batch) {
      Standing standing = standings.get(renewal.id());
      if (standing != null) {
        standing.uses(renewal.lease());
      }
      ballots.add(ballot(renewal, standing, counted, events));
    }
    AtomicInteger votes = new AtomicInteger();
    ask(ballots, votes);
    ballots.stream().filter(ballot -> ballot.members().isEmpty()).forEach(Ballot::end);
    int before;
    do {
      before = votes.get();
    } while (!await(open, Member.SILENT.toNanos()) && votes.get() != before);
    ballots.forEach(Ballot::end);
    // A vote that came just now may have decided one, on a thread that has yet to answer.
    var unused = await(open, Long.MAX_VALUE);
  }

  /**
   * Asks each member once for all that it is to vote on. Does not wait for the votes.
   *
   * @param votes counts them
   */
  private void ask(List<Ballot> ballots, AtomicInteger votes) {
    Map<Member, List<Renewal>> questions = new LinkedHashMap<>();
    Map<HoldId, Ballot> byId = new LinkedHashMap<>();
    for (Ballot ballot : ballots) {
      for (Member member : ballot.members()) {
        Renewal asked = on(member, ballot.renewal, standings.get(ballot.renewal.id()));
        byId.put(asked.id(), ballot);
        questions.computeIfAbsent(member, any -> new ArrayList<>()).add(asked);
      }
    }
    questions.forEach((member, some) -> {
      var unused = member
          .renew(some, (renewal, result) -> {
            votes.incrementAndGet();
            Ballot ballot = byId.get(renewal.id());
            if (ballot != null) {
              ballot.vote(member, result);
            }
          })
          .whenComplete((done, error) -> {
            RenewalResult failed = RenewalResult.failed(Round.failure(error));
            some.forEach(renewal -> {
              Ballot ballot = byId.get(renewal.id());
              if (ballot != null) {
                ballot.vote(member, failed);
              }
            });
          });
    });
  }

  private static Renewal on(Member member, Renewal renewal, @Nullable Standing standing) {
    return standing == null
        ? renewal
        : Renewal.of(renewal.name(), standing.idOn(member), renewal.lease(), renewal.queued())
            .withMinToken(Math.max(standing.token(), renewal.minToken()));
  }

  /** Answers whether all are answered by then. */
  private static boolean await(CountDownLatch open, long longest) {
    long deadline = System.nanoTime() + longest;
    return Uninterruptibly.await(
        () -> open.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  private Ballot ballot(
      Renewal renewal, @Nullable Standing standing, RenewalAnswers answers, BackendEvents events) {
    Member contended = standing == null ? null : standing.places().contended();
    return renewal.queued() && standing != null && !standing.isHeld() && contended != null
        ? new EntryBallot(renewal, standing, standings, contended, answers, events)
        : new Hold(renewal, standing, answers, events, true);
  }

  /**
   * A member calls one whose hold it has lost, and which stands in its queue: it has granted the
   * hold again, or may do so now. Does not block.
   */
  public void called(Member member, Standing hold, BackendEvents events) {
    Attempt attempt = hold.attempt();
    if (attempt != null && hold.isHeld() && hold.places().mayBeAt(member)) {
      if (hold.isUnbroken()) {
        repair(hold, member, attempt, LockRequest.MIN_LEASE, events);
      } else {
        var unused = GiveBack.on(member, hold); // it has run out: others must not find it busy
      }
    }
  }

  private void repair(
      Standing hold, Member member, Attempt attempt, Duration lease, BackendEvents events) {
    var unused = repairs.repair(hold, member, attempt, lease).whenComplete((vote, error) -> {
      if (vote instanceof Grant
          || (error != null && Round.failure(error) instanceof OutcomeUnknownException)) {
        lookAgain(hold, events);
      }
    });
  }

  /**
   * A member may have lost the hold by a forced release that met the others only behind their
   * votes. The repair would then leave it on that member alone, where others queue for it.
   */
  private void lookAgain(Standing hold, BackendEvents events) {
    RenewalAnswers behind = (same, result) -> {
      // Not if it is its own release that has met the members meanwhile.
      if (result instanceof RenewalResult.Gone && hold.isHeld()) {
        events.revoked(same.name(), same.id());
      }
    };
    Renewal look = Renewal.of(hold.name(), hold.id(), LockRequest.MIN_LEASE, false);
    ask(List.of(new Hold(look, hold, behind, events, false)), new AtomicInteger());
  }

  private final class Hold extends Ballot {
    private final @Nullable Standing standing;
    private final List<Member> asked;
    private final List<Member> inDoubt;
    private final Set<Member> repaired = new HashSet<>();
    private final BackendEvents events;
    private final boolean mayRepair;
    private final long sentAt = System.nanoTime();
    private final long sentAtMillis = System.currentTimeMillis();

    Hold(
        Renewal renewal,
        @Nullable Standing standing,
        RenewalAnswers answers,
        BackendEvents events,
        boolean mayRepair) {
      super(renewal, answers);
      this.standing = standing;
      this.events = events;
      this.mayRepair = mayRepair;
      this.asked = members.live().stream()
          .filter(member -> standing == null || standing.isKeptBy(member))
          .toList();
      this.inDoubt = members.live().stream()
          .filter(member -> standing != null && standing.isDoubtful(member))
          .toList();
    }

    @Override
    List<Member> members() {
      return asked;
    }

    @Override
    @Nullable
    RenewalResult decide(boolean last) {
      List<Grant> held = votes.values().stream()
          .filter(Grant.class::isInstance)
          .map(Grant.class::cast)
          .filter(this::hasRaised)
          .toList();
      if (held.size() >= members.need()) {
        long known = standing == null ? 0 : standing.token();
        long largest = held.stream().mapToLong(Grant::fencingToken).max().orElse(0);
        if (standing != null && known > 0) {
          standing.raise(renewal.minToken()); // before it is told: nobody is told less after that
        }
        return RenewalResult.held(
            renewal, Math.max(known > 0 ? known : largest, renewal.minToken()));
      }
      long lost = Round.count(
          votes.values(),
          vote -> !(vote instanceof Grant) && !(vote instanceof RenewalResult.Failed));
      if (lost > members.spare()) {
        return RenewalResult.gone();
      }
      return last ? RenewalResult.failed(unknown()) : null;
    }

    /** Or its members have no tokens. */
    private boolean hasRaised(Grant vote) {
      return vote.fencingToken() == 0 || vote.fencingToken() >= renewal.minToken();
    }

    private LockException unknown() {
      List<String> complaints = new ArrayList<>();
      for (Member member : asked) {
        RenewalResult vote = votes.get(member);
        if (vote == null) {
          complaints.add(member.silence());
        } else if (vote instanceof RenewalResult.Failed failed) {
          complaints.add(
              "member %d: %s".formatted(member.place() + 1, failed.error().getMessage()));
        } else if (vote instanceof Grant grant && !hasRaised(grant)) {
          complaints.add("member %d: its token is %d, and was to be at least %d"
              .formatted(member.place() + 1, grant.fencingToken(), renewal.minToken()));
        }
      }
      return new OutcomeUnknownException(String.valueOf(
          members.unavailable("renew", renewal.name(), complaints).getMessage()));
    }

    /** Also of those that come when it was decided: the last one would never be repaired. */
    @Override
    void told() {
      Standing hold = standing;
      Attempt attempt = hold == null ? null : hold.attempt();
      RenewalResult result = result();
      if (hold == null || attempt == null || result == null) {
        return;
      }
      if (result instanceof Grant) {
        hold.validity().lasts(sentAt, sentAtMillis, renewal.lease());
        inDoubt.forEach(member -> standings.renameOn(member, hold));
      }
      if (result instanceof RenewalResult.Gone) {
        if (hold.isHeld()) {
          // Those too few that have it yet would be busy for a lease, and not vote for the next
          // holder.
          var unused = GiveBack.onAll(members, hold);
        }
      } else if (mayRepair) {
        lost().forEach(member -> repair(hold, member, attempt, renewal.lease(), events));
      }
    }

    /** Those to repair, each once; none if nobody has it, for then it may be gone. */
    private synchronized List<Member> lost() {
      if (Round.count(votes.values(), Grant.class::isInstance) == 0) {
        return List.of();
      }
      return votes.entrySet().stream()
          .filter(vote -> vote.getValue() instanceof RenewalResult.Gone || isFromQueue(vote))
          .map(Map.Entry::getKey)
          .filter(repaired::add)
          .toList();
    }

    /**
     * Granted in its queue, of which nobody may have told: only its answer to an attempt says so.
     */
    private boolean isFromQueue(Map.Entry<Member, RenewalResult> vote) {
      return vote.getValue() instanceof Grant
          && standing != null
          && standing.places().mayBeAt(vote.getKey());
    }
  }
}
