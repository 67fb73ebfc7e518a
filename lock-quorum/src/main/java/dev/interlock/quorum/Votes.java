package dev.interlock.quorum;

import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one call for a lock has from the members. Not thread-safe. */
final class Votes {
  /** Who has granted it. */
  final Map<Member, Grant> granted = new LinkedHashMap<>();

  /** By which each was trusted when it was asked last; a vote is none if that has changed. */
  final Map<Member, @Nullable String> marks = new HashMap<>();

  /** Who was asked beside the contended member, before that one's answer was known. */
  private final Map<Member, CompletableFuture<AttemptResult>> early = new LinkedHashMap<>();

  /** Notes by which the member is trusted. Called before it is asked. */
  void asks(Member member) {
    marks.put(member, member.memory().mark());
  }

  void askedEarly(Member member, CompletableFuture<AttemptResult> vote) {
    early.put(member, vote);
  }

  /** The vote that a member was asked for early; null if it was not, or that vote was used. */
  @Nullable
  CompletableFuture<AttemptResult> takeEarly(Member member) {
    return early.remove(member);
  }

  /** Those that were asked early and whose votes are not wanted; they are forgotten. */
  List<Member> dropEarly() {
    List<Member> asked = List.copyOf(early.keySet());
    early.clear();
    return asked;
  }
}
