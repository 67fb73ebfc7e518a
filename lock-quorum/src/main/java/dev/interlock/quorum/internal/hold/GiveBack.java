package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Round;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Takes back what an attempt, or the hold that came of it, has on the members. */
public final class GiveBack {
  private GiveBack() {}

  /** On one member; later if that fails now. */
  public static CompletableFuture<Boolean> on(Member member, Standing standing) {
    return standing.debts().payLater(member, standing, standing.giveBack(member));
  }

  /** On all that may have something of it. Does not wait. */
  public static Map<Member, CompletableFuture<Boolean>> onAll(Members members, Standing standing) {
    standing.givenBack();
    Map<Member, CompletableFuture<Boolean>> underWay = new LinkedHashMap<>();
    for (Member member : members.all()) {
      if (standing.isOn(member)) {
        underWay.put(member, on(member, standing));
      }
    }
    return underWay;
  }

  /** The same, and waits a little until that is done. */
  public static void await(Members members, Standing standing, Caller caller) {
    Round<Boolean> round = new Round<>(caller);
    onAll(members, standing).forEach((member, back) -> {
      if (member.isLive()) {
        round.ask(member, back);
      }
    });
    round.await();
  }
}
