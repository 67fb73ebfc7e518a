package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the members have said of the end of one hold. Thread-safe. */
public final class Endings {
  // Guarded by this.
  private final Set<Member> revoked = new HashSet<>();
  private final Map<Member, Boolean> released = new HashMap<>();

  /** Notes that a member took its hold away, and answers how many have. */
  public synchronized int revokedBy(Member member) {
    revoked.add(member);
    return revoked.size();
  }

  /** A member has the hold again. */
  synchronized void repairedAt(Member member) {
    revoked.remove(member);
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
