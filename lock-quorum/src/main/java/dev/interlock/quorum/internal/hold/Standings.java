package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The attempts and holds of this client, by the ids of the engine. Thread-safe. */
public final class Standings {
  private static final long SWEEP = Duration.ofSeconds(30).toNanos();

  private final int members;
  private final Debts debts;
  private final Map<HoldId, Standing> all = new ConcurrentHashMap<>();

  /** The engine's ids, by others under which the members know them. */
  private final Map<HoldId, HoldId> renamed = new ConcurrentHashMap<>();

  /** Of the members at which some of these wait. */
  private final BriefFaults faults = new BriefFaults();
  /** When what is over was forgotten last, as {@link System#nanoTime()} counts. */
  private final AtomicLong sweptAt = new AtomicLong(System.nanoTime());

  /**
   * Creates.
   *
   * @param members how many there are
   * @param debts of all standings
   */
  public Standings(int members, Debts debts) {
    this.members = members;
    this.debts = debts;
  }

  public @Nullable Standing get(HoldId id) {
    return all.get(id);
  }

  /**
   * Whether an attempt does not go on to the next member though this one has just failed it, or is
   * left out: a connection that was cut is soon there again, and so is its place. If those of one
   * client went on at once, they would stand elsewhere in another order. They leave together. One
   * that comes new and is prepared to wait must not pass those who stay.
   */
  public boolean outlastsFault(Attempt attempt, Standing standing, Member member) {
    return standing.places().contended() == null
        ? attempt.waits() && anyWaitsAt(standing.name(), member) && failedLately(standing, member)
        : outlastsFault(standing, member);
  }

  boolean outlastsFault(Standing standing, Member member) {
    return standing.waitsAt(member) && failedLately(standing, member);
  }

  /** It has failed just now. Answers whether it began to within the last second. */
  private boolean failedLately(Standing standing, Member member) {
    return !member.isSilent() && faults.failed(standing.name(), member);
  }

  private boolean anyWaitsAt(String name, Member member) {
    return all.values().stream().anyMatch(each -> each.name().equals(name) && each.waitsAt(member));
  }

  /**
   * A member has given somebody a lock, or a place in its queue, or has answered the look after a
   * place. That a lock is held it tells also if it refuses writes, so that counts for nothing.
   */
  public void answered(String name, Member member) {
    faults.answered(name, member);
  }

  /** That of an id, which is made if there is none. */
  public Standing of(String name, HoldId id) {
    return all.computeIfAbsent(id, any -> new Standing(name, id, members, debts));
  }

  /** Lets an attempt go on by another id on the members. */
  public Standing rename(Standing spent) {
    Standing next = spent.renamed();
    next.memberIds().forEach(other -> renamed.put(other, next.id()));
    all.put(next.id(), next);
    spent.memberIds().forEach(renamed::remove);
    return next;
  }

  /**
   * Lets a hold go on by another id on a member where it does not count because an earlier vote may
   * yet be given back.
   */
  void renameOn(Member member, Standing hold) {
    HoldId other = hold.renamedOn(member);
    if (other != null) {
      renamed.put(other, hold.id());
    }
  }

  /** Whom a member means; null if it means an id that an attempt has left behind. */
  public @Nullable HoldId meant(HoldId memberId) {
    HoldId id = renamed.getOrDefault(memberId, memberId);
    Standing standing = all.get(id);
    return standing == null || standing.memberIds().anyMatch(memberId::equals) ? id : null;
  }

  /**
   * Forgets it. If the members know it by another id, that is kept a while: the engine may still
   * abandon what an attempt has left there.
   */
  public void remove(Standing standing) {
    if (standing.memberIds().allMatch(standing.id()::equals)) {
      all.remove(standing.id(), standing);
    } else {
      standing.endings().forgetRelease();
    }
  }

  private void forget(Standing standing) {
    if (all.remove(standing.id(), standing)) {
      standing.memberIds().forEach(renamed::remove);
    }
  }

  /** A lease may end without a release, for example if it was kept on purpose. */
  public void sweep() {
    long now = System.nanoTime();
    long before = sweptAt.get();
    if (now - before > SWEEP && sweptAt.compareAndSet(before, now)) {
      all.values().stream().filter(Standing::isForgotten).forEach(this::forget);
      faults.sweep();
    }
  }
}
