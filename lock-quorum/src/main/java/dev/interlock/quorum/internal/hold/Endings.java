package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the members have said of the end of one hold. Thread-safe. */
public final class Endings {
  // Guarded by this.
  private final Set<Member> granted = new HashSet<>();
  private final Set<Member> revoked = new HashSet<>();
  private final Map<Member, Boolean> released = new HashMap<>();

  /** A member is about to be asked for its vote: what it had, or took away, is no part of that. */
  public synchronized void askedOf(Member member) {
    granted.remove(member);
    revoked.remove(member);
  }

  /** Notes that a member has granted the lock. It may have taken that away, for news overtake. */
  public synchronized void grantedBy(Member member) {
    granted.add(member);
  }

  /** A member is asked to forget its vote. */
  synchronized void givenBackTo(Member member) {
    granted.remove(member);
  }

  /** Notes that a member took its vote away, and answers how many have. */
  public synchronized int revokedBy(Member member) {
    revoked.add(member);
    return revoked.size();
  }

  /** Whether a member took away what it had granted. */
  public synchronized boolean isRevokedBy(Member member) {
    return revoked.contains(member);
  }

  /** Whether at most this many may have it yet: not all have granted it, or some took it away. */
  public synchronized boolean isLeftToAtMost(int few) {
    return granted.stream().filter(member -> !revoked.contains(member)).count() <= few;
  }

  /**
   * Remembers what a member's first answer to the release was: a repetition finds nothing there.
   */
  synchronized boolean released(Member member, boolean held) {
    return released.merge(member, held, (first, later) -> first);
  }

  /** A member knows the hold by another id from now on. */
  synchronized void forgetRelease(Member member) {
    released.remove(member);
  }

  /** The release is answered: a further one finds nothing. */
  synchronized void forgetRelease() {
    released.clear();
  }
}
