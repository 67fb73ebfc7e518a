package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** By which ids the members know one attempt, and the hold that comes of it. Thread-safe. */
final class MemberIds {
  private final HoldId common;

  /** For each member that has known it by several: all of them, the present one last. */
  private final Map<Member, List<HoldId>> several = new ConcurrentHashMap<>();

  MemberIds(HoldId common) {
    this.common = common;
  }

  /** An id that nobody knows yet. The upper half is the client's; of the lower one it uses few. */
  static HoldId other(HoldId id) {
    return new HoldId(id.high(), ThreadLocalRandom.current().nextLong());
  }

  /** The same attempt by an id. */
  static Attempt by(HoldId id, Attempt attempt) {
    return by(id, attempt, attempt.lease());
  }

  /** The same attempt by an id, for another lease. */
  static Attempt by(HoldId id, Attempt attempt, Duration lease) {
    return Attempt.of(attempt.name(), id, attempt.owner(), lease)
        .withSharedOwner(attempt.sharedOwner())
        .withFair(attempt.fair())
        .withPatience(attempt.patience())
        .withPrompt(attempt.prompt())
        .withTokens(attempt.tokens())
        .withUnits(attempt.units(), attempt.capacity())
        .withBeside(attempt.beside());
  }

  /** All by which a member has known it, the present one last. */
  List<HoldId> of(Member member) {
    return several.getOrDefault(member, List.of(common));
  }

  /** Gives it another id on one member. */
  HoldId change(Member member) {
    HoldId other = other(common);
    List<HoldId> ids = new ArrayList<>(of(member));
    ids.add(other);
    several.put(member, List.copyOf(ids));
    return other;
  }

  /** By which any member has known it. */
  Stream<HoldId> all() {
    return Stream.concat(Stream.of(common), several.values().stream().flatMap(Collection::stream))
        .distinct();
  }
}
