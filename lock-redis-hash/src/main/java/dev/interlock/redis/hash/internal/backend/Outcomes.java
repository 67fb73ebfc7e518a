package dev.interlock.redis.hash.internal.backend;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.internal.script.Answer;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what became of attempts from the answers of the scripts that made them. */
final class Outcomes {
  /**
   * A waiter looks again after this time and one {@link #TICK} at the latest, wherever it stands in
   * the queue: all before it may be dead. Longer than the time that a grant has to confirm, so that
   * the first look after a grant to a dead one can hand the lock on, or comes back for that at its
   * end. state.lua keeps a waiter for five times as long.
   */
  private static final Duration REFRESH = Duration.ofMillis(2_100);

  /** Refreshes are due at multiples of this time. */
  private static final Duration TICK = Duration.ofMillis(500);

  private static final long GRANTED = 1;
  private static final long NOT_MADE = 2;
  private static final long QUEUED = 3;
  private static final long UNDECIDED = 4;
  private static final String NOBODY = "-";

  private Outcomes() {}

  /** Null if the attempt was not made, or has to be made again to know. */
  static @Nullable AttemptResult of(Attempt attempt, Answer answer) {
    long kind = answer.number();
    long first = answer.number();
    long second = answer.number();
    if (kind == NOT_MADE || kind == UNDECIDED) {
      return null;
    }
    if (kind == GRANTED) {
      return AttemptResult.granted(attempt, first).withTokens((int) second);
    }
    if (kind == QUEUED) {
      return AttemptResult.queued(recheck(second));
    }
    return AttemptResult.busy(recheck(first));
  }

  /** What became of the only attempt of a script, and the last token before it. */
  static @Nullable AttemptResult ofOnly(Attempt attempt, Answer answer) {
    AttemptResult result = of(attempt, answer);
    return result instanceof Grant grant && !answer.isOver()
        ? grant.withLastToken(answer.number())
        : result;
  }

  /** An attempt that may stand in the queue, and failed when it was made again. */
  static OutcomeUnknownException stillUnknown(Attempt attempt, LockException failure) {
    return failure instanceof OutcomeUnknownException unknown
        ? unknown
        : new OutcomeUnknownException(
            "An attempt for lock '" + attempt.name() + "' may stand in the queue, and asking again"
                + " failed: " + failure.getMessage(),
            failure);
  }

  /** What a script that may have run before did not find, it may itself have removed. */
  static void requireKnown(boolean found, Answer answer, String action, String name) {
    if (!found && answer.isRepeated()) {
      throw new OutcomeUnknownException("whether the " + action + " of lock '" + name
          + "' found it held is not known: the connection broke, and it was sent again");
    }
  }

  /** Null if nobody was granted the lock. */
  static @Nullable Grant grant(String name, Answer answer) {
    String id = answer.word();
    long token = answer.number();
    int tokens = answer.smallNumber();
    Duration lease = Duration.ofMillis(answer.number());
    List<HoldId> heirs = new ArrayList<>();
    for (int left = answer.smallNumber(); left > 0; left--) {
      heirs.add(HoldId.parse(answer.word()));
    }
    return id.equals(NOBODY)
        ? null
        : Grant.of(name, HoldId.parse(id), token, lease).withTokens(tokens).withHeirs(heirs);
  }

  /** What became of a release, but for whom it took along unasked. */
  static ReleaseResult released(Release release, boolean held, Answer answer) {
    Grant granted = grant(release.name(), answer);
    Attempt next = release.next();
    AttemptResult result = next == null ? null : of(next, answer);
    if (!held) {
      return ReleaseResult.notHeld();
    }
    // A reader that got in is told of too, though the next of its owner got in beside it.
    boolean alone = granted == null || (next != null && granted.id().equals(next.id()));
    if (alone && result instanceof Grant direct) {
      granted = direct;
      result = null;
    }
    return ReleaseResult.released().withGranted(granted).withNext(result);
  }

  /** The holder may die, and a grant may stay unconfirmed: then a refresh hands the lock on. */
  static Duration recheck(long millisLeft) {
    Duration holderEnds = Duration.ofMillis(millisLeft + 1);
    // All waiters of this client are refreshed at the same moments, so that batches are large.
    long toNextTick = TICK.toNanos() - Math.floorMod(System.nanoTime(), TICK.toNanos());
    Duration longest = REFRESH.plusNanos(toNextTick);
    return holderEnds.compareTo(longest) < 0 ? holderEnds : longest;
  }
}
