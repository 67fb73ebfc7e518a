package dev.interlock.quorum;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps holds and queue entries alive: holds on all members, an entry on the one in whose queue it
 * stands. A hold is kept if enough members have it, and gone if so many have lost it that enough
 * cannot be left. Members that have lost one that is kept are asked to have it again; those that
 * may yet give it back, by another id. Thread-safe.
 */
final class Keeper {
  /** After the engine was told to repeat the attempt of an entry. */
  private static final Duration AFTER_WAKE = Duration.ofMillis(100);

  private final Members members;
  private final Election election;
  private final Standings standings;

  Keeper(Members members, Election election, Standings standings) {
    this.members = members;
    this.election = election;
    this.standings = standings;
  }

  /**
   * Renews. Returns once all are answered.
   *
   * @param events told of a queued attempt that the contended member has granted, and of a hold
   *     that was found gone behind its answer
   */
  void renew(List<Renewal> batch, RenewalAnswers answers, BackendEvents events) {
    CountDownLatch open = new CountDownLatch(batch.size());
    RenewalAnswers counted = (renewal, result) -> {
      answers.answer(renewal, result);
      open.countDown();
    };
    List<Ballot> ballots = new ArrayList<>();
    for (Renewal renewal : batch) {
      Standing standing = standings.get(renewal.id());
      if (standing != null) {
        standing.uses(renewal.lease());
      }
      ballots.add(ballot(renewal, standing, counted, events));
    }
    ask(ballots);
    ballots.stream().filter(ballot -> ballot.members().isEmpty()).forEach(Ballot::end);
    await(open);
    ballots.forEach(Ballot::end);
  }

  /** Asks each member once for all that it is to vote on. Does not wait for the votes. */
  private void ask(List<Ballot> ballots) {
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
          .call(backend -> {
            backend.renew(some, (renewal, result) -> {
              Ballot ballot = byId.get(renewal.id());
              if (ballot != null) {
                ballot.vote(member, result);
              }
            });
            return true;
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
            .withMinToken(standing.token());
  }

  private static void await(CountDownLatch open) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + Member.SILENT.toNanos();
    try {
      while (true) {
        try {
          var unused = open.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Ballot ballot(
      Renewal renewal, @Nullable Standing standing, RenewalAnswers answers, BackendEvents events) {
    Member contended = standing == null ? null : standing.contended();
    return renewal.queued() && standing != null && !standing.isHeld() && contended != null
        ? new Entry(renewal, standing, contended, answers, events)
        : new Hold(renewal, standing, answers, events, true);
  }

  /** What the members say to one renewal. Each member's first vote counts. */
  private abstract static class Ballot {
    final Renewal renewal;
    final Map<Member, RenewalResult> votes = new LinkedHashMap<>();
    private final RenewalAnswers answers;
    private @Nullable RenewalResult decision;

    Ballot(Renewal renewal, RenewalAnswers answers) {
      this.renewal = renewal;
      this.answers = answers;
    }

    abstract List<Member> members();

    /** Answers null while it is open. */
    abstract @Nullable RenewalResult decide(boolean last);

    /** Called after each vote. */
    void told() {}

    /** What was answered; null while it is open. */
    final synchronized @Nullable RenewalResult result() {
      return decision;
    }

    final void vote(Member member, RenewalResult result) {
      synchronized (this) {
        if (votes.putIfAbsent(member, result) != null) {
          return;
        }
      }
      tell(false);
    }

    /** Nobody waits for further votes. */
    final void end() {
      tell(true);
    }

    private void tell(boolean last) {
      RenewalResult result;
      synchronized (this) {
        result =
            decision != null ? null : decide(last || votes.size() == members().size());
        decision = result == null ? decision : result;
      }
      if (result != null) {
        answers.answer(renewal, result);
      }
      told();
    }
  }

  private final class Hold extends Ballot {
    private final @Nullable Standing standing;
    private final List<Member> asked;
    private final List<Member> inDoubt;
    private final Set<Member> repaired = new HashSet<>();
    private final Set<Member> givenBack = new HashSet<>();
    private final BackendEvents events;
    private final boolean repairs;
    private final long sentAt = System.nanoTime();
    private final long sentAtMillis = System.currentTimeMillis();

    Hold(
        Renewal renewal,
        @Nullable Standing standing,
        RenewalAnswers answers,
        BackendEvents events,
        boolean repairs) {
      super(renewal, answers);
      this.standing = standing;
      this.events = events;
      this.repairs = repairs;
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
          .toList();
      if (held.size() >= members.need()) {
        long known = standing == null ? 0 : standing.token();
        long largest = held.stream().mapToLong(Grant::fencingToken).max().orElse(0);
        return RenewalResult.held(renewal, known > 0 ? known : largest);
      }
      long failed = Round.count(votes.values(), RenewalResult.Failed.class::isInstance);
      if (votes.size() - held.size() - failed > members.spare()) {
        return RenewalResult.gone();
      }
      return last ? RenewalResult.failed(unknown()) : null;
    }

    private LockException unknown() {
      List<String> complaints = new ArrayList<>();
      votes.forEach((member, vote) -> {
        if (vote instanceof RenewalResult.Failed failed) {
          complaints.add(
              "member %d: %s".formatted(member.place() + 1, failed.error().getMessage()));
        }
      });
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
        hold.lasts(sentAt, sentAtMillis, renewal.lease());
        inDoubt.forEach(member -> standings.renameOn(member, hold));
      }
      if (result instanceof RenewalResult.Gone) {
        hold.givenBack();
        for (Member member : kept()) {
          var unused = Election.giveBack(hold, member);
        }
      } else if (repairs) {
        lost().forEach(member -> {
          var unused = election
              .repair(hold, member, attempt)
              .whenComplete((vote, error) -> lookAgain(hold, vote, error));
        });
      }
    }

    /**
     * A member may have lost the hold by a forced release that met the others only behind their
     * votes. The repair would then leave it on that member alone, where others queue for it.
     */
    private void lookAgain(Standing hold, @Nullable AttemptResult vote, @Nullable Throwable error) {
      if (vote instanceof Grant
          || (error != null && Round.failure(error) instanceof OutcomeUnknownException)) {
        RenewalAnswers behind = (same, result) -> {
          // Not if it is its own release that has met the members meanwhile.
          if (result instanceof RenewalResult.Gone && hold.isHeld()) {
            events.revoked(renewal.name(), renewal.id());
          }
        };
        ask(List.of(new Hold(renewal, hold, behind, events, false)));
      }
    }

    /**
     * Those too few that have just renewed what is gone, each once: they would be busy for a lease,
     * and could not vote for the next holder.
     */
    private synchronized List<Member> kept() {
      return votes.entrySet().stream()
          .filter(vote -> vote.getValue() instanceof Grant)
          .map(Map.Entry::getKey)
          .filter(givenBack::add)
          .toList();
    }

    /** Those to repair, each once; none if nobody has it, for then it may be gone. */
    private synchronized List<Member> lost() {
      if (Round.count(votes.values(), Grant.class::isInstance) == 0) {
        return List.of();
      }
      return votes.entrySet().stream()
          .filter(vote -> vote.getValue() instanceof RenewalResult.Gone)
          .map(Map.Entry::getKey)
          .filter(repaired::add)
          .toList();
    }
  }

  private static final class Entry extends Ballot {
    private final Standing standing;
    private final List<Member> asked;
    private final BackendEvents events;

    Entry(
        Renewal renewal,
        Standing standing,
        Member contended,
        RenewalAnswers answers,
        BackendEvents events) {
      super(renewal, answers);
      this.standing = standing;
      this.asked = contended.isLive() ? List.of(contended) : List.of();
      this.events = events;
    }

    @Override
    List<Member> members() {
      return asked;
    }

    /** A queue that cannot be reached is as good as lost: the attempt goes to another member. */
    @Override
    @Nullable
    RenewalResult decide(boolean last) {
      for (RenewalResult vote : votes.values()) {
        if (vote instanceof RenewalResult.Queued) {
          return vote;
        }
        if (vote instanceof Grant) {
          standing.grantedByRelease();
          events.wake(renewal.name(), renewal.id());
          return RenewalResult.queued(AFTER_WAKE);
        }
        return RenewalResult.gone();
      }
      return last ? RenewalResult.gone() : null;
    }
  }
}
