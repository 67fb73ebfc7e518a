package dev.interlock.quorum.internal.hold;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members in whose queues one attempt may stand. It contends at one of them, and goes on to the
 * next once that one has failed for a while. So those before it may have kept its place:
 * {@link Keeper} asks them whether they have, and then it contends there again, as all others do.
 * What it has behind that one is given back.
 *
 * <p>The client dies, at any moment: each place ends as that of any waiter without a sign of life.
 * A look makes no place, so it may be lost, run twice or run late: it keeps one alive that is
 * there, and may grant the lock to it if that is free, as a release does. What gives a place back
 * may be late, or without an answer, as what gives a vote back: see {@link Standing}.
 *
 * <p>Thread-safe.
 */
public final class QueuePlaces {
  // Guarded by this.
  private final Set<Member> members = new HashSet<>();
  private @Nullable Member contended;
  private boolean queued;
  private boolean stands;
  private boolean granted;

  /** It is about to ask a member for a place. */
  public synchronized void asks(Member member) {
    members.add(member);
  }

  /** A member has granted it the lock: it has no place in that queue any more. */
  public synchronized void grantedAt(Member member) {
    members.remove(member);
  }

  public synchronized boolean mayBeAt(Member member) {
    return members.contains(member);
  }

  /** Those of members that come before one. */
  synchronized List<Member> before(Member member) {
    return members.stream().filter(other -> other.place() < member.place()).toList();
  }

  /** Gives up those of members that come after one, and tells which. */
  public synchronized List<Member> leaveAfter(Member member) {
    List<Member> later =
        members.stream().filter(other -> other.place() > member.place()).toList();
    later.forEach(members::remove);
    return later;
  }

  /** The member in whose queue it stands, or whom it asked first. */
  public synchronized @Nullable Member contended() {
    return contended;
  }

  /**
   * It asks this member first from now on.
   *
   * @param hasPlace whether it stands in a queue there
   */
  public synchronized void contendsAt(Member member, boolean hasPlace) {
    contended = member;
    queued = true;
    stands = hasPlace;
    granted = false;
  }

  /** It is the attempt of these places by another id, and asks first where that contends. */
  synchronized void contendsAsIn(QueuePlaces before) {
    contended = before.contended();
  }

  /** A member has kept its place. Answers whether that is an earlier one, where it contends now. */
  synchronized boolean returnsTo(Member member) {
    Member last = contended;
    boolean returns = last != null && member.place() < last.place();
    contended = returns ? member : last;
    stands |= returns;
    return returns;
  }

  /** Whether it stands in the queue of this member, and contends there. */
  synchronized boolean standsAt(Member member) {
    return member == contended && queued && stands && members.contains(member);
  }

  /**
   * What a look at the place of an attempt that {@linkplain Standings#outlastsFault outlasts a
   * fault} fails with.
   *
   * @param complaint what is wrong with the member
   * @param unknown whether the member may have run what it was asked
   */
  public static LockException fault(String name, String complaint, boolean unknown) {
    String message = "lock '%s' is waited for in the queue of a member that does not answer now: %s"
        .formatted(name, complaint);
    return unknown
        ? new OutcomeUnknownException(message)
        : new BackendUnavailableException(message);
  }

  /** Whether it may be its turn: it stands in a queue, or has been granted the lock from there. */
  public synchronized boolean mayHaveItsTurn() {
    return granted || (queued && stands);
  }

  /** Whether it has been given a place, and has not given that back. */
  synchronized boolean isQueued() {
    return queued;
  }

  /** The contended member has granted the lock by somebody's release. */
  public synchronized void grantedByRelease() {
    granted = true;
  }

  public synchronized boolean isGrantedByRelease() {
    return granted;
  }

  /** The attempt was given back. */
  synchronized void givenBack() {
    queued = false;
    granted = false;
  }
}
