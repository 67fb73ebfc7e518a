package dev.interlock.quorum.internal.member;

import dev.interlock.HoldInfo;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Whether a member remembers what it granted. One that was restarted without its disk, or emptied,
 * would grant a lock that it has granted before, so it must not vote until the longest lease has
 * passed.
 *
 * <p>The memory is a lock of its own on the member, the <em>mark</em>, whose lease is a year. A
 * mark that is not there, or is another one, shows that the state was lost. A vote counts only if
 * the mark was looked at <em>after</em> the grant, and was the one that is trusted: then the member
 * has remembered all from the mark on. A mark is trusted once it is older than the longest lease,
 * by the member's own clock; until then locks that were granted before it may be held.
 *
 * <p>A mark is trusted at once if a voucher names it: it is one of those that all members began
 * together with, see {@link Beginning}. So nothing was granted before, or every member has lost it.
 * The mark of a DURABLE member, which loses nothing, is vouched for in any case.
 *
 * <p>Thread-safe. What the server keeps belongs to all clients; this object has what one client
 * knows of it.
 */
public final class Memory {
  /** The lock that is the mark. An application that uses this name would stop the quorum. */
  static final String MARK = "interlock:quorum:mark";

  /** How the owner of every mark begins. */
  private static final String MEMBER = "member ";

  private static final String VOUCHER = "interlock:quorum:voucher";

  /** The lock whose owner tells with which marks of the others a mark began. */
  private static final String BEGINNING = "interlock:quorum:beginning";

  private static final String WITH = " with ";

  /**
   * For so long after a mark was made, in nanoseconds, the others may lose their state as well, and
   * all begin together. The members' clocks may differ by so much where that happens.
   */
  static final long YOUNG = 5_000_000_000L;

  private static final long LOOK_AGAIN = 20_000_000;

  /** How often to look at one that does not vote for long: others may be without a mark by then. */
  private static final long LOOK_SELDOM = 1_000_000_000;

  /**
   * What a look at a member finds.
   *
   * @param mark null if there is none: it is new, or has lost its state
   * @param trusted whether it may vote
   * @param earliest when the mark was made at the earliest, as {@link System#nanoTime()} counts
   * @param latest when it was made at the latest
   */
  record Look(@Nullable String mark, boolean trusted, long earliest, long latest) {
    /** The mark, which must be there. */
    String marked() {
      return Objects.requireNonNull(mark);
    }
  }

  private final String owner;
  private final Duration longestLease;
  private final int place;
  private final boolean durable;

  /** The mark that is trusted; null while none is. */
  private volatile @Nullable String trusted;

  /** When it was last seen without a mark; null once there was one. */
  private volatile @Nullable Long unmarkedAt;

  /** When it was marked, or was first seen without a mark. */
  private volatile long since = System.nanoTime();

  /** Before that, a look would find nothing new. */
  private volatile long lookAt = System.nanoTime();

  Memory(int place, Membership quorum, boolean durable) {
    this.durable = durable;
    this.place = place;
    this.owner = (MEMBER + "%d of %d, leases up to %s")
        .formatted(place + 1, quorum.members().size(), quorum.longestLease());
    this.longestLease = quorum.longestLease();
  }

  /** Whether a name is of a lock of the quorum's own. */
  public static boolean isItsOwn(String name) {
    return name.equals(MARK) || name.equals(VOUCHER) || name.equals(BEGINNING);
  }

  /** Whether its mark was trusted when it was looked at last. */
  boolean isTrusted() {
    return trusted != null;
  }

  /** Whether a look may find more than the last one. */
  boolean isDue() {
    return !isTrusted() && System.nanoTime() - lookAt >= 0;
  }

  /** Whether it was marked a short while ago: all members may have lost their state then. */
  public boolean isYoung() {
    return System.nanoTime() - since < YOUNG;
  }

  /** Whether it has been without a mark for so long, in nanoseconds. */
  boolean isLeftUnmarked(long time) {
    return System.nanoTime() - since >= time;
  }

  /** The mark that is trusted; null while none is. To be read before a vote is asked for. */
  public @Nullable String mark() {
    return trusted;
  }

  /**
   * Whether the member has remembered all since a vote was asked for. Nobody looks if the member is
   * DURABLE.
   *
   * @param voted the mark that was trusted before that. The present one is no proof: the member may
   *     have been emptied since, and have begun anew.
   */
  public CompletableFuture<Boolean> isKept(Inquiry member, @Nullable String voted) {
    return durable
        ? CompletableFuture.completedFuture(trusted != null)
        : member.mark().thenApply(found -> isKept(found, voted));
  }

  private boolean isKept(Optional<HoldInfo> found, @Nullable String voted) {
    String known = trusted;
    if (known == null || !known.equals(voted)) {
      return false;
    }
    boolean kept = found.map(Memory::identity).filter(known::equals).isPresent();
    if (!kept) {
      trusted = null;
      lookAt = System.nanoTime();
    }
    return kept;
  }

  /**
   * Looks at the mark. Blocks for up to two answers.
   *
   * @throws LockConfigurationException if other clients know the server as another member
   */
  Look look(LockBackend member) {
    long asked = System.nanoTime();
    Optional<HoldInfo> mark = member.inspect(MARK);
    long answered = System.nanoTime();
    if (mark.isPresent()) {
      unmarkedAt = null;
      return look(member, mark.get(), asked, answered);
    }
    trusted = null;
    Long before = unmarkedAt;
    if (before == null || answered - before > LOOK_SELDOM) {
      since = answered; // nobody has looked for a while: it may have had another mark
    }
    unmarkedAt = answered;
    lookAt = answered + LOOK_AGAIN;
    return new Look(null, false, answered, answered);
  }

  private Look look(LockBackend member, HoldInfo mark, long asked, long answered) {
    if (!mark.owner().equals(owner)) {
      throw new LockConfigurationException(stranger(mark.owner()));
    }
    Duration age = LockRequest.MAX_LEASE.minus(mark.remaining());
    Duration left = longestLease.minus(age);
    since = answered - Math.max(0, age.toNanos());
    String identity = identity(mark);
    boolean trust = left.isNegative() || isVouchedFor(member, identity);
    trusted = trust ? identity : null;
    lookAt = System.nanoTime() + (isYoung() ? LOOK_AGAIN : Math.min(left.toNanos(), LOOK_SELDOM));
    return new Look(identity, trust, asked - age.toNanos(), answered - age.toNanos());
  }

  /** A lock of another provider has the same key and another form, so its owner cannot be read. */
  private String stranger(String maker) {
    return maker.startsWith(MEMBER)
        ? "Cannot open 'quorum': the server of member %d is known to other clients as %s. Every client must name the same members, each once, in the same order, and the same longestLease"
            .formatted(place + 1, maker)
        : "Cannot open 'quorum': the lock '%s' on the server of member %d was not made by this provider (its owner is '%s'). A quorum of other providers uses the same namespace of this server: give one of them another namespace"
            .formatted(MARK, place + 1, maker);
  }

  private static boolean isVouchedFor(LockBackend member, String mark) {
    return member
        .inspect(VOUCHER)
        .filter(voucher -> voucher.owner().equals(mark))
        .isPresent();
  }

  /** Two marks of one member differ at least in when they were made. */
  private static String identity(HoldInfo mark) {
    return mark.fencingToken() + " since " + mark.since();
  }

  /** Makes the mark. Answers false if there is one. */
  boolean mark(LockBackend member) {
    return hold(member, MARK, owner, LockRequest.MAX_LEASE);
  }

  /** Whether a mark is there, and may have the note that it began together with these. */
  boolean mayBegin(LockBackend member, String mark, List<String> all) {
    Optional<HoldInfo> found = member.inspect(BEGINNING);
    return isThere(member, mark)
        && found
            .filter(there -> isOn(mark, there))
            .map(HoldInfo::owner)
            .filter(note -> !note.equals(beginning(mark, all)))
            .isEmpty();
  }

  /**
   * Notes with which marks a mark began. Such a note is never taken back while the mark is there.
   *
   * @return whether the mark is there, and has this note
   */
  boolean noteBeginning(LockBackend member, String mark, List<String> all) {
    String note = beginning(mark, all);
    return note(member, BEGINNING, mark, note, LockRequest.MAX_LEASE)
        .filter(note::equals)
        .isPresent();
  }

  private static String beginning(String mark, List<String> all) {
    return mark + WITH + String.join(", ", all);
  }

  /** Notes that a mark began alone, unless it has a note. Answers whether it has one then. */
  boolean noteAlone(LockBackend member, String mark) {
    return note(member, BEGINNING, mark, mark + WITH + "nobody", LockRequest.MAX_LEASE)
        .isPresent();
  }

  /** Vouches for a mark. Answers false if it is not there any more. */
  boolean vouch(LockBackend member, String mark) {
    return note(member, VOUCHER, mark, mark, longestLease).isPresent();
  }

  /**
   * Notes something on a mark, unless that has a note of this name. One that speaks of an earlier
   * mark gives way: its maker was late.
   *
   * @return the note; empty if the mark is not there any more
   */
  private static Optional<String> note(
      LockBackend member, String name, String mark, String note, Duration lease) {
    for (int look = 0; look < 2; look++) {
      if (hold(member, name, note, lease)) {
        // A mark that is there behind the note was there before it, too.
        return isThere(member, mark) ? Optional.of(note) : Optional.empty();
      }
      // Before the mark: then a note that is not on the mark is not on a later one, either.
      Optional<HoldInfo> found = member.inspect(name);
      if (!isThere(member, mark)) {
        return Optional.empty();
      }
      if (found.filter(there -> isOn(mark, there)).isPresent()) {
        return found.map(HoldInfo::owner);
      }
      found.ifPresent(stale -> member.forceRelease(name, stale.fencingToken()));
    }
    return Optional.empty();
  }

  private static boolean isThere(LockBackend member, String mark) {
    return member.inspect(MARK).map(Memory::identity).filter(mark::equals).isPresent();
  }

  private static boolean isOn(String mark, HoldInfo note) {
    return note.owner().equals(mark) || note.owner().startsWith(mark + WITH);
  }

  private static boolean hold(LockBackend member, String name, String holder, Duration lease) {
    return member.attempt(Attempt.of(name, newId(), holder, lease)) instanceof Grant;
  }

  private static HoldId newId() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new HoldId(random.nextLong(), random.nextLong());
  }

  /** For messages: why it does not vote. */
  String complaint() {
    long left = Math.max(0, since + longestLease.toNanos() - System.nanoTime());
    return "member %d is new or has lost its state, and votes in %d s"
        .formatted(place + 1, (left + 999_999_999) / 1_000_000_000);
  }
}
