package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What could not be given back, by the members that failed at that moment. Thread-safe. */
public final class Debts {
  private final Map<Member, MemberDebts> all = new ConcurrentHashMap<>();

  /**
   * Has what is being given back given back later if that fails.
   *
   * @param back the question by which it is being given back
   * @return completes as that question does, once its failure is noted
   */
  <T> CompletableFuture<T> payLater(Member member, Standing standing, CompletableFuture<T> back) {
    return back.whenComplete((done, error) -> {
      if (error != null) {
        owes(member, standing, back);
      }
    });
  }

  /**
   * Gives something back later.
   *
   * @param failed the question by which it was to be given back
   */
  void owes(Member member, Standing standing, CompletableFuture<?> failed) {
    all.computeIfAbsent(member, MemberDebts::new).owes(standing, failed);
  }

  /** Gives something back to a member that answers. Does not block. */
  public void pay(Member member) {
    MemberDebts owed = all.get(member);
    if (owed != null) {
      owed.pay();
    }
  }
}
