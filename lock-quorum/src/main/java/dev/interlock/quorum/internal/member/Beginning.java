package dev.interlock.quorum.internal.member;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether all members of a quorum began together, so that none has to wait until the longest lease
 * has passed. They did if all their marks were made within five seconds, whoever made them.
 *
 * <p>Before a mark is vouched for, every member has a note which lists the marks of all, each found
 * beside its own mark. A mark has one note for good, so it is in one list. All this may be done by
 * several clients, each a part of it, at any time later and twice: the list follows from the marks.
 * A client that dies or stands still leaves it to the others. A note or a voucher that arrives
 * late, on a member that has lost its state meanwhile, names another mark, says nothing, and gives
 * way.
 *
 * <p>Why a member that lost its state does not vote into a lock that is held, unless all have lost
 * theirs: let Y be the youngest mark of a list that every member has noted. No mark of this list
 * was trusted when Y was made. One that was vouched for by then had a note by then, which cannot
 * list Y, and it has no other. One that was older than the longest lease by then is older than Y by
 * more than that, and the two are in no list. So each vote that counted by then was by an earlier
 * mark, and every member has lost those. As long as one has not, its mark is in no list with Y, so
 * Y is not vouched for. A lock whose votes are on their way meanwhile may have some by earlier
 * marks and some by those of the list; the first are lost, too.
 *
 * <p>What is lost that way is lost on all members within the five seconds. Members that lose their
 * state one after the other, and more slowly, wait for the longest lease: the locks that were
 * granted in between stay safe.
 *
 * @param within how far apart the marks may be, in nanoseconds. Half of the longest lease at most,
 *     for an election takes its time
 */
record Beginning(long within) {

  static Beginning of(Duration longestLease) {
    return new Beginning(Math.min(Memory.YOUNG, longestLease.toNanos() / 2));
  }

  /**
   * The marks of all members, in their order, if they began together.
   *
   * @param looks what was found
   * @return null if they did not, or if the looks do not show that they did
   */
  @Nullable
  List<String> marks(List<Member> all, Map<Member, Memory.Look> looks) {
    if (looks.size() < all.size() || isUnmarked(looks)) {
      return null;
    }
    List<Memory.Look> found = all.stream().map(member -> found(looks, member)).toList();
    long one = found.get(0).earliest();
    long first = found.stream().mapToLong(look -> look.earliest() - one).min().orElse(0);
    long last = found.stream().mapToLong(look -> look.latest() - one).max().orElse(0);
    return last - first <= within ? found.stream().map(Memory.Look::marked).toList() : null;
  }

  private static boolean isUnmarked(Map<Member, Memory.Look> looks) {
    return looks.values().stream().anyMatch(look -> look.mark() == null);
  }

  /** What was found on a member that answered. */
  static Memory.Look found(Map<Member, Memory.Look> looks, Member member) {
    return Objects.requireNonNull(looks.get(member));
  }
}
