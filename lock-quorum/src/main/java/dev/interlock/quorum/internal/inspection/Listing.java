package dev.interlock.quorum.internal.inspection;

import dev.interlock.HoldInfo;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.quorum.internal.member.Memory;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lists held locks: the pages of the first member, then those of the next. A lock stands where the
 * first member that has it lists it. The position of a page is the member's place, a colon, and the
 * position there.
 */
final class Listing {
  private final Members members;
  private final Function<String, Optional<HoldVotes>> poll;

  Listing(Members members, Function<String, Optional<HoldVotes>> poll) {
    this.members = members;
    this.poll = poll;
  }

  Optional<HoldPage> list(HoldQuery query) {
    String position = query.after().orElse("0:");
    int colon = position.indexOf(':');
    int place = place(position, colon);
    String after = position.substring(colon + 1);
    Member member = members.all().get(place);
    if (!member.isLive()) {
      return Optional.of(page(List.of(), place, Optional.empty()));
    }
    HoldQuery own = HoldQuery.of(query.limit()).withPrefix(query.prefix());
    HoldQuery asked = after.isEmpty() ? own : own.withAfter(after);
    Round<Optional<HoldPage>> round = new Round<>();
    round.ask(member, member.call(open -> open.list(asked)));
    round.await();
    Optional<HoldPage> answer = round.answers().getOrDefault(member, Optional.empty());
    if (answer.isEmpty() && round.failures().isEmpty() && !round.isOpen()) {
      return Optional.empty(); // its store cannot list
    }
    List<HoldInfo> found = answer.map(HoldPage::holds).orElse(List.of());
    return Optional.of(page(held(member, found), place, answer.flatMap(HoldPage::next)));
  }

  private int place(String position, int colon) {
    try {
      int place = Integer.parseInt(position.substring(0, Math.max(0, colon)));
      if (place >= 0 && place < members.all().size()) {
        return place;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new IllegalArgumentException("'" + position + "' is no position of a quorum's list");
  }

  private List<HoldInfo> held(Member lister, List<HoldInfo> found) {
    List<HoldInfo> held = new ArrayList<>();
    for (HoldInfo hold : found) {
      if (!Memory.isItsOwn(hold.name())) {
        poll.apply(hold.name())
            .filter(votes -> votes.first() == lister)
            .ifPresent(votes -> held.add(votes.described()));
      }
    }
    return held;
  }

  private HoldPage page(List<HoldInfo> holds, int place, Optional<String> next) {
    HoldPage page = HoldPage.of(holds);
    if (next.isPresent()) {
      return page.withNext(place + ":" + next.get());
    }
    return place + 1 < members.all().size() ? page.withNext((place + 1) + ":") : page;
  }
}
