package dev.interlock.quorum.internal.inspection;

import dev.interlock.HoldInfo;
import dev.interlock.LockException;
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
import java.util.stream.Stream;

/**
 * Lists held locks: the pages of the first member, then those of the next. A lock stands where the
 * first member that has it lists it. Where a page cannot be had, the rest of that member's are left
 * out, and its locks stand where the next one that has them lists them.
 *
 * <p>The position of a page is the member's place, a comma before each of the places that were left
 * out, a colon, and the position there.
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
    List<Integer> places = places(position, colon);
    String after = position.substring(colon + 1);
    Member member = members.all().get(places.get(0));
    List<Integer> leftOut = new ArrayList<>(places.subList(1, places.size()));
    Round<Optional<HoldPage>> round = new Round<>();
    if (member.isLive()) {
      HoldQuery own = HoldQuery.of(query.limit()).withPrefix(query.prefix());
      HoldQuery asked = after.isEmpty() ? own : own.withAfter(after);
      round.ask(member, member.call(open -> open.list(asked)));
      round.await();
    }
    for (LockException failure : round.failures()) {
      if (Round.isRefusal(failure)) {
        throw failure;
      }
    }
    Optional<HoldPage> page = round.answers().get(member);
    if (page == null) {
      leftOut.add(member.place());
      requireEnough(leftOut, query, round);
      return Optional.of(page(List.of(), member, leftOut, Optional.empty()));
    }
    if (page.isEmpty()) {
      return page; // its store cannot list
    }
    List<HoldInfo> held = held(member, leftOut, page.get().holds());
    return Optional.of(page(held, member, leftOut, page.get().next()));
  }

  /** A lock that is held may be on those alone that were left out. */
  private void requireEnough(List<Integer> leftOut, HoldQuery query, Round<?> round) {
    if (leftOut.size() >= members.need()) {
      throw members.unavailable("list", query.prefix() + "*", round.complaints());
    }
  }

  /** The member whose page it is, and those that were left out. */
  private List<Integer> places(String position, int colon) {
    try {
      String before = position.substring(0, Math.max(0, colon));
      List<Integer> places =
          Stream.of(before.split(",", -1)).map(Integer::valueOf).toList();
      if (places.stream().allMatch(place -> place >= 0 && place < members.all().size())) {
        return places;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new IllegalArgumentException("'" + position + "' is no position of a quorum's list");
  }

  private List<HoldInfo> held(Member lister, List<Integer> leftOut, List<HoldInfo> found) {
    List<HoldInfo> held = new ArrayList<>();
    for (HoldInfo hold : found) {
      if (!Memory.isItsOwn(hold.name())) {
        poll.apply(hold.name())
            .filter(votes -> votes.first(leftOut).filter(lister::equals).isPresent())
            .ifPresent(votes -> held.add(votes.described()));
      }
    }
    return held;
  }

  private HoldPage page(
      List<HoldInfo> holds, Member member, List<Integer> leftOut, Optional<String> next) {
    int place = next.isPresent() ? member.place() : member.place() + 1;
    HoldPage page = HoldPage.of(holds);
    if (place == members.all().size()) {
      return page;
    }
    StringBuilder position = new StringBuilder().append(place);
    leftOut.forEach(other -> position.append(',').append(other));
    return page.withNext(position.append(':').append(next.orElse("")).toString());
  }
}
