package dev.interlock.quorum.internal.election;

import dev.interlock.quorum.internal.member.Caller;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;

/**
 * When one call asks again those members that are still held: the last holder's release is under
 * way. Not thread-safe.
 */
final class Looks {
  /** How many come after the first in any case. */
  private static final int MORE = 6;

  private static final long SHORTEST_PAUSE = 500_000;
  private static final long LONGEST_PAUSE = 32 * SHORTEST_PAUSE;

  /**
   * How much later than the contended member the others may have the release by which somebody's
   * turn came. Whoever gives up before that loses the turn. This delays nobody who is served by
   * then, for all wait at the contended member.
   */
  private static final Duration LATE_RELEASE = Duration.ofMillis(300);

  private final long deadline;
  private int begun;
  private long pause = SHORTEST_PAUSE;

  /**
   * Begins.
   *
   * @param sentAt when the call began, by {@link System#nanoTime}
   * @param mayHaveItsTurn whether it stood in the queue of the contended member
   */
  Looks(Attempt attempt, long sentAt, boolean mayHaveItsTurn) {
    Duration patience = attempt.patience();
    Duration longest = patience.compareTo(LATE_RELEASE) < 0 ? patience : LATE_RELEASE;
    deadline = sentAt + (mayHaveItsTurn ? longest.toNanos() : 0);
  }

  /** Whether there is one more. Pauses before each but the first. */
  boolean next(Caller caller) {
    if (begun > MORE && System.nanoTime() - deadline >= 0) {
      return false;
    }
    if (begun > 0) {
      caller.leave();
      Uninterruptibly.pause(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    begun++;
    return true;
  }

  /** Whether this is the first one. */
  boolean isFirst() {
    return begun == 1;
  }
}
