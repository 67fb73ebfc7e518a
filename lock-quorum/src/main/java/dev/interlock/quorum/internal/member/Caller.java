package dev.interlock.quorum.internal.member;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one call of the engine. It sends to the members itself, and reads their answers
 * while it waits for them, so that no other thread has to be woken while all is well. What has no
 * answer soon, and what the call does not wait for, it leaves to threads of the members.
 *
 * <p>Another thread that comes upon it finds that it {@linkplain #isHere is not here}. All else is
 * for that thread only.
 */
public final class Caller implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private final List<MemberBatches.Sent> unread = new ArrayList<>();
  private volatile boolean closed;

  /**
   * Whether it may send now. Not if it is interrupted: that would close the sockets of a virtual
   * thread.
   */
  boolean isHere() {
    return Thread.currentThread() == thread && !closed && !thread.isInterrupted();
  }

  /** It has sent this, and reads the answers sooner or later. */
  void reads(MemberBatches.Sent sent) {
    unread.add(sent);
  }

  /** Whether it has sent something that nobody reads. */
  boolean hasUnread() {
    return !unread.isEmpty();
  }

  /**
   * Reads the answers that a round waits for, one member after the other, until it has what it
   * needs. If that does not come so, all else is left to others, for the thread is about to wait.
   *
   * @return whether the thread was interrupted before that; its flag is not set any more
   */
  boolean read(Round<?> round) {
    boolean interrupted = false;
    for (MemberBatches.Sent next = take(round); next != null; next = take(round)) {
      interrupted |= Thread.interrupted();
      next.read();
    }
    if (hasUnread() && round.isWaiting()) {
      leave();
    }
    return interrupted;
  }

  private MemberBatches.@Nullable Sent take(Round<?> round) {
    if (!hasUnread() || !round.isWaiting()) {
      return null;
    }
    for (Iterator<MemberBatches.Sent> each = unread.iterator(); each.hasNext(); ) {
      MemberBatches.Sent sent = each.next();
      if (round.isOpen(sent.member())) {
        each.remove();
        return sent;
      }
    }
    return null;
  }

  /** Leaves what it has not read to threads of the members. */
  public void leave() {
    while (hasUnread()) {
      unread.remove(unread.size() - 1).leave();
    }
  }

  /** The call is over. */
  @Override
  public void close() {
    closed = true;
    leave();
  }
}
