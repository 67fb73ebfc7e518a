package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.HandOff;
import dev.interlock.tck.teststore.Wire.Request;
import org.jspecify.annotations.Nullable;

/** Gives a hold up, and treats an attempt of the same client in the same step. */
final class HandOffCommands {
  private final AttemptCommands attempts;
  private final HoldCommands holds;
  private final LockTable table;
  private final Grants grants;
  private final Fault fault;

  HandOffCommands(
      AttemptCommands attempts, HoldCommands holds, LockTable table, Grants grants, Fault fault) {
    this.attempts = attempts;
    this.holds = holds;
    this.table = table;
    this.grants = grants;
    this.fault = fault;
  }

  /** Answers null if the hold was not there. */
  @Nullable
  HandOff release(Request own, Request next) {
    Lock before = table.asIs(next.name());
    boolean passes = fault == Fault.HAND_OFF_PASSES_QUEUE
        && before != null
        && before.held != null
        && before.held.isOf(own);
    if (passes) {
      before.leave();
      return new HandOff(attempts.take(next));
    }
    if (!holds.release(own)) {
      return null;
    }
    Lock left = table.asIs(next.name());
    boolean isFree = left == null || left.held == null;
    if (isFree && fault == Fault.HAND_OFF_IS_NOT_KEPT) {
      return new HandOff(new Answer(grants.draw(), 1, 0));
    }
    if (isFree && fault == Fault.HAND_OFF_TO_NOBODY) {
      attempts.take(next.ofNobody());
      return new HandOff(null);
    }
    return new HandOff(attempts.attempt(next));
  }
}
