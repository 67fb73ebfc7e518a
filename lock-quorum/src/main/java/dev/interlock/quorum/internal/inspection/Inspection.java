package dev.interlock.quorum.internal.inspection;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Uninterruptibly;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What operators ask of all members. Thread-safe. */
public final class Inspection {
  /** What is left of a grant takes about so long, in nanoseconds. */
  private static final long HALF_DONE = 1_000_000;

  private final Members members;

  /** Creates. */
  public Inspection(Members members) {
    this.members = members;
  }

  /** Tells who holds a lock. */
  public Optional<HoldInfo> inspect(String name) {
    return settled(name).map(HoldVotes::described);
  }

  /**
   * Looks again if it meets a grant half done: the members' tokens are about to be raised. Until
   * two looks in a row, some time apart, find the same tokens: those of its members may differ for
   * as long as a hold lasts.
   */
  private Optional<HoldVotes> settled(String name) {
    Optional<HoldVotes> hold = poll(name);
    for (long pause = HALF_DONE; pause <= 8 * HALF_DONE; pause *= 2) {
      if (hold.isEmpty() || hold.get().isSettled()) {
        break;
      }
      Map<Member, Long> before = hold.get().tokensOfMembers();
      Uninterruptibly.pause(pause);
      hold = poll(name);
      if (pause > HALF_DONE
          && hold.map(HoldVotes::tokensOfMembers).filter(before::equals).isPresent()) {
        break;
      }
    }
    return hold;
  }

  private Optional<HoldVotes> poll(String name) {
    Round<Optional<HoldInfo>> round = all(open -> open.inspect(name));
    if (round.answers().size() < members.need()) {
      throw members.unavailable("inspect", name, round.complaints());
    }
    return HoldVotes.of(round.answers(), members);
  }

  /** Lists each lock where the first member that has it lists it. */
  public Optional<HoldPage> list(HoldQuery query) {
    return new Listing(members, this::poll).list(query);
  }

  /**
   * Takes a lock from its holder, on each member by the token that the hold has there: one that was
   * repaired has another. A vote that a hold has left on too few members is no hold: if it has that
   * token, it goes as well, and is not told.
   *
   * @return whether it was held, and has too few votes after that
   * @throws OutcomeUnknownException if too few members answer, and one may have taken it
   */
  public boolean forceRelease(String name, long fencingToken) {
    HoldVotes hold = settled(name).orElse(null);
    if (hold != null && hold.mayHave(fencingToken)) {
      String why =
          "one that does not answer may have this token for the hold, or it is that of an earlier one";
      throw members.unavailable("force the release of", name, List.of(why));
    }
    if (hold != null && !hold.has(fencingToken)) {
      return false;
    }
    Map<Member, HoldInfo> votes = hold == null ? Map.of() : hold.votes();
    Round<Boolean> round = new Round<>();
    for (Member member : members.live()) {
      HoldInfo vote = votes.get(member);
      long token = vote == null ? fencingToken : vote.fencingToken();
      round.ask(member, member.call(open -> open.forceRelease(name, token)));
    }
    round.await();
    Map<Member, Boolean> answers = round.answers();
    if (answers.size() < members.need()) {
      BackendUnavailableException error =
          members.unavailable("force the release of", name, round.complaints());
      boolean unknown = answers.containsValue(true)
          || round.isOpen()
          || round.failures().stream().anyMatch(OutcomeUnknownException.class::isInstance);
      throw unknown
          ? new OutcomeUnknownException(String.valueOf(error.getMessage()), error)
          : error;
    }
    return hold != null && hold.endsBy(answers);
  }

  private <T> Round<T> all(Function<LockBackend, T> question) {
    Round<T> round = new Round<>();
    members.live().forEach(member -> round.ask(member, member.call(question)));
    round.await();
    return round;
  }
}
