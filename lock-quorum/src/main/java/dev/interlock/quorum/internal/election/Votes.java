package dev.interlock.quorum.internal.election;

import dev.interlock.quorum.internal.hold.Endings;
import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Grant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What one call for a lock has from the members. Not thread-safe. */
final class Votes {
  private final Caller caller;
  private final Endings endings;

  /** Who has granted it, as far as is known. */
  final Map<Member, Grant> granted = new LinkedHashMap<>();

  /** By which each was trusted when it was asked last; a vote is none if that has changed. */
  private final Map<Member, @Nullable String> marks = new HashMap<>();

  /** Who was asked beside the contended member, before that one's answer was known. */
  private final Map<Member, CompletableFuture<Vote>> early = new LinkedHashMap<>();

  /**
   * Of one call.
   *
   * @param endings what the members say of the end of what they have granted
   */
  Votes(Caller caller, Endings endings) {
    this.caller = caller;
    this.endings = endings;
  }

  /** Who calls. */
  Caller caller() {
    return caller;
  }

  /** Notes by which the member is trusted, and answers that. Called before it is asked. */
  @Nullable
  String asks(Member member) {
    String mark = member.memory().mark();
    marks.put(member, mark);
    endings.askedOf(member);
    return mark;
  }

  void askedEarly(Member member, CompletableFuture<Vote> vote) {
    early.put(member, vote);
  }

  /** Those that were asked early and whose votes are not wanted; they are forgotten. */
  List<Member> dropEarly() {
    List<Member> asked = List.copyOf(early.keySet());
    early.clear();
    return asked;
  }

  /**
   * The present vote of a member: the early one if there is one; else, if it has granted the lock,
   * whether it still remembers that.
   *
   * @param ask asks a member that has not granted it
   */
  CompletableFuture<Vote> of(Member member, Function<Member, CompletableFuture<Vote>> ask) {
    CompletableFuture<Vote> known = early.remove(member);
    if (known != null) {
      return known;
    }
    Grant grant = granted.get(member);
    return grant == null ? ask.apply(member) : look(member, grant);
  }

  private CompletableFuture<Vote> look(Member member, Grant grant) {
    String mark = marks.get(member);
    return member.isDurable()
        ? CompletableFuture.completedFuture(new Vote(grant, member.memory().mark()))
        : member.ask(
            caller,
            inquiry -> member
                .memory()
                .isKept(inquiry, mark)
                .thenApply(kept -> new Vote(grant, kept ? mark : null)));
  }

  /**
   * Takes the answers of a round, and returns the grants that count. One that forgot its grant is
   * asked again, for it may be trusted again before the next look.
   */
  Map<Member, Grant> take(Map<Member, Vote> answers) {
    Map<Member, Grant> kept = counted(answers);
    answers.forEach((member, vote) -> {
      Grant grant = kept.get(member);
      if (grant == null) {
        granted.remove(member);
      } else {
        granted.put(member, grant);
      }
    });
    return kept;
  }

  /**
   * The grants of those that have remembered all up to then, and may vote. Not of one from which
   * the lock was forced off meanwhile.
   */
  Map<Member, Grant> counted(Map<Member, Vote> answers) {
    Map<Member, Grant> kept = new LinkedHashMap<>();
    answers.forEach((member, vote) -> {
      // Not if it has been emptied and has begun anew since it was looked at.
      if (vote.answer() instanceof Grant grant
          && vote.mark() != null
          && vote.mark().equals(member.memory().mark())
          && !endings.isRevokedBy(member)) {
        kept.put(member, grant);
      }
    });
    return kept;
  }
}
