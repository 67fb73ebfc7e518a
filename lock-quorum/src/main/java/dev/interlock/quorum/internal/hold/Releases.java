package dev.interlock.quorum.internal.hold;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Gives up what a hold, or an attempt that has ended, has on all members. Thread-safe. */
public final class Releases {
  private final Members members;
  private final Standings standings;

  /** Creates. */
  public Releases(Members members, Standings standings) {
    this.members = members;
    this.standings = standings;
  }

  /**
   * Releases a hold on all members. Blocks until enough have answered.
   *
   * @param granted told of a waiter of this client that a member has granted the lock by that
   * @return whether it was held
   * @throws OutcomeUnknownException if too few members answer
   */
  public boolean release(Caller caller, String name, HoldId id, BiConsumer<Member, Grant> granted) {
    Standing standing = standings.of(name, id);
    standing.givenBack();
    Round<Boolean> round = new Round<>(caller);
    List<Member> live = members.live();
    // Whoever comes next asks one of these first, and must not find the lock held there.
    Member contended = standing.places().contended();
    List<Member> askedNext = live.stream()
        .filter(member -> member == live.get(0) || member == contended)
        .filter(standing::isOn)
        .toList();
    for (Member member : members.all()) {
      boolean isLive = live.contains(member);
      if (isLive || standing.isOn(member)) {
        CompletableFuture<Boolean> answer =
            standing.askBack(member, () -> released(caller, member, standing, granted));
        var unused = standing.debts().payLater(member, standing, answer);
        // A release leaves other ids there, and a place in a queue: that of a member that did not
        // answer when the others granted the lock. It would be granted to nobody.
        CompletableFuture<Boolean> all = answer.thenCompose(held -> standing.mayLeaveMore(member)
            ? GiveBack.on(member, standing).handle((done, error) -> held)
            : answer);
        if (isLive) {
          round.ask(member, all);
        }
      }
    }
    round.linger();
    round.await(
        answers -> isDecided(answers.values()) && askedNext.stream().noneMatch(round::isOpen));
    long held = Round.count(round.answers().values(), there -> there);
    long gone = round.answers().size() - held;
    if (held >= members.need() || gone > members.spare()) {
      standings.remove(standing);
      return held >= members.need();
    }
    BackendUnavailableException error =
        members.unavailable("release", standing.name(), round.complaints());
    throw new OutcomeUnknownException(String.valueOf(error.getMessage()), error);
  }

  /** A waiter of this client that the member has granted the lock by this is told by its answer. */
  private static CompletableFuture<Boolean> released(
      Caller caller, Member member, Standing standing, BiConsumer<Member, Grant> granted) {
    return member.ask(
        caller,
        inquiry -> inquiry
            .release(Release.of(standing.name(), standing.idOn(member)))
            .thenApply(result -> {
              Grant next = result.granted();
              if (next != null) {
                granted.accept(member, next);
              }
              return standing.endings().released(member, result.held());
            }));
  }

  private boolean isDecided(Collection<Boolean> answers) {
    long held = Round.count(answers, there -> there);
    return held >= members.need() || answers.size() - held > members.spare();
  }

  /**
   * Gives back all that an attempt has left on the members. Blocks until they have answered.
   *
   * @throws BackendUnavailableException if one of them has not
   */
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
}
