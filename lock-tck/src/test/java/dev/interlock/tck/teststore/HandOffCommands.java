package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.HandOff;
import dev.interlock.tck.teststore.Wire.Request;
import java.util.List;
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
  HandOff release(Request own, @Nullable Request next, List<String> passed) {
    Lock awaited = table.asIs(own.name());
    Held held = awaited == null ? null : awaited.holdOf(own.id());
    boolean isThere = held != null;
    boolean stays =
        fault == Fault.PASSED_ARE_SERVED || (fault == Fault.PASSED_STAY_AFTER_THE_HOLD && !isThere);
    if (awaited != null && !stays) {
      passed.forEach(awaited.queue::remove);
      passed.forEach(awaited.waiters::remove);
    }
    if (next == null) {
      return holds.release(own) ? new HandOff(null) : null;
    }
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
      return new HandOff(new Answer(grants.tokens().draw(), 1, 0));
    }
    if (isFree && fault == Fault.HAND_OFF_TO_NOBODY) {
      attempts.take(next.ofNobody());
      return new HandOff(null);
    }
    return new HandOff(kept(attempts.attempt(next), held, next));
  }

  /** What is granted has something of the hold before, for a fault. */
  private Answer kept(Answer answer, @Nullable Held before, Request next) {
    Lock lock = table.asIs(next.name());
    Held granted = lock == null ? null : lock.holdOf(next.id());
    if (before == null || granted == null) {
      return answer;
    }
    if (fault == Fault.HAND_OFF_KEEPS_LEASE) {
      granted.expiresAt = before.expiresAt;
    } else if (fault == Fault.HAND_OFF_KEEPS_TOKEN) {
      granted.token = before.token;
      return new Answer(granted.token, granted.tokens, 0);
    }
    return answer;
  }
}
