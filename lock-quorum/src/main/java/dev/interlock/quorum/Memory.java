package dev.interlock.quorum;

import dev.interlock.HoldInfo;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
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
 * <p>A mark is trusted at once if its maker vouches for it: the maker made the marks of all
 * members, none of which had one. So nothing was granted before, or every member has lost it. The
 * voucher is a lock as well, whose owner names the mark.
 *
 * <p>Thread-safe. What the server keeps belongs to all clients; this object has what one client
 * knows of it.
 */
final class Memory {
  /** The lock that is the mark. An application that uses this name would stop the quorum. */
  static final String MARK = "interlock:quorum:mark";

  /** How the owner of every mark begins. */
  private static final String MEMBER = "member ";

  private static final String VOUCHER = "interlock:quorum:voucher";

  /** Whoever marks all members has done so within this time, in nanoseconds. */
  static final long SETTLING = 1_000_000_000;

  /** The members' clocks may differ by so much where all lose their state, in nanoseconds. */
  private static final long YOUNG = 5 * SETTLING;

  private static final long LOOK_AGAIN = 20_000_000;

  /** What a look at a member finds. */
  enum State {
    /** There is no mark: it is new, or has lost its state. */
    UNMARKED,
    /** The mark is younger than the longest lease. */
    YOUNG,
    /** It may vote. */
    TRUSTED
  }

  private final String owner;
  private final Duration longestLease;
  private final int place;
  private final boolean durable;

  /** The token of the mark that this client made, and when. */
  private volatile long made;

  private volatile long madeAt = System.nanoTime();

  /** The mark that is trusted; null while none is. */
  private volatile @Nullable String trusted;

  private volatile boolean unmarked;

  /** When it was marked, or was first seen without a mark. */
  private volatile long since = System.nanoTime();

  /** Before that, a look would find nothing new. */
  private volatile long lookAt = System.nanoTime();

  Memory(int place, Settings settings, boolean durable) {
    this.durable = durable;
    this.place = place;
    this.owner = (MEMBER + "%d of %d, leases up to %s")
        .formatted(place + 1, settings.members().size(), settings.longestLease());
    this.longestLease = settings.longestLease();
  }

  /** Whether a name is of a lock of the quorum's own. */
  static boolean isItsOwn(String name) {
    return name.equals(MARK) || name.equals(VOUCHER);
  }

  /** Whether its mark was trusted when it was looked at last. */
  boolean isTrusted() {
    return trusted != null;
  }

  /** Whether a look may find more than the last one. */
  boolean isDue() {
    return !isTrusted() && System.nanoTime() - lookAt >= 0;
  }

  /** Whether it was marked just now, as at the beginning of a quorum: others may be marked yet. */
  boolean isJustMarked() {
    return !unmarked && System.nanoTime() - since < SETTLING;
  }

  /** Whether it was marked a short while ago: all members may have lost their state then. */
  boolean isYoung() {
    return System.nanoTime() - since < YOUNG;
  }

  /** Whether it was marked just now, and may be vouched for yet. */
  boolean isAboutToBeTrusted() {
    return !isTrusted() && isJustMarked();
  }

  /** Whether it has been without a mark for so long, in nanoseconds. */
  boolean isLeftUnmarked(long time) {
    return System.nanoTime() - since >= time;
  }

  /** The mark that is trusted; null while none is. To be read before a vote is asked for. */
  @Nullable
  String mark() {
    return trusted;
  }

  /**
   * Whether the member has remembered all since a vote was asked for. Nobody looks if the member is
   * DURABLE.
   *
   * @param voted the mark that was trusted before that. The present one is no proof: the member may
   *     have been emptied since, and have begun anew.
   */
  CompletableFuture<Boolean> isKept(Inquiry member, @Nullable String voted) {
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
  State look(LockBackend member) {
    Optional<HoldInfo> mark = member.inspect(MARK);
    if (mark.isEmpty()) {
      trusted = null;
      if (!unmarked) {
        unmarked = true;
        since = System.nanoTime();
      }
      lookAt = System.nanoTime() + LOOK_AGAIN;
      return State.UNMARKED;
    }
    unmarked = false;
    return look(member, mark.get());
  }

  private State look(LockBackend member, HoldInfo mark) {
    if (!mark.owner().equals(owner)) {
      throw new LockConfigurationException(stranger(mark.owner()));
    }
    Duration age = LockRequest.MAX_LEASE.minus(mark.remaining());
    Duration left = longestLease.minus(age);
    since = System.nanoTime() - Math.max(0, age.toNanos());
    if (durable || left.isNegative() || isVouchedFor(member, mark)) {
      trusted = identity(mark);
      return State.TRUSTED;
    }
    trusted = null;
    lookAt = System.nanoTime() + (isAboutToBeTrusted() ? LOOK_AGAIN : left.toNanos());
    return State.YOUNG;
  }

  /** A lock of another provider has the same key and another form, so its owner cannot be read. */
  private String stranger(String maker) {
    return maker.startsWith(MEMBER)
        ? "Cannot open 'quorum': the server of member %d is known to other clients as %s. Every client must name the same members, each once, in the same order, and the same longestLease"
            .formatted(place + 1, maker)
        : "Cannot open 'quorum': the lock '%s' on the server of member %d was not made by this provider (its owner is '%s'). A quorum of other providers uses the same namespace of this server: give one of them another namespace"
            .formatted(MARK, place + 1, maker);
  }

  private static boolean isVouchedFor(LockBackend member, HoldInfo mark) {
    return member
        .inspect(VOUCHER)
        .filter(voucher -> voucher.owner().equals(identity(mark)))
        .isPresent();
  }

  /** Two marks of one member differ at least in when they were made. */
  private static String identity(HoldInfo mark) {
    return mark.fencingToken() + " since " + mark.since();
  }

  /** Makes the mark. Answers false if there is one. */
  boolean mark(LockBackend member) {
    AttemptResult result = member.attempt(Attempt.of(MARK, newId(), owner, LockRequest.MAX_LEASE));
    if (result instanceof Grant grant) {
      made = grant.fencingToken();
      madeAt = System.nanoTime();
    }
    return result instanceof Grant;
  }

  /** Vouches for the mark that this client has just made. Answers false if it is another one. */
  boolean vouch(LockBackend member) {
    return member
        .inspect(MARK)
        .filter(mark -> mark.fencingToken() == made && System.nanoTime() - madeAt < SETTLING)
        .map(mark -> member.attempt(Attempt.of(VOUCHER, newId(), identity(mark), longestLease)))
        .filter(Grant.class::isInstance)
        .isPresent();
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
