package dev.interlock.internal;

import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What the server granted.
 *
 * @param id the hold
 * @param token the first fencing token
 * @param tokens how many were reserved
 * @param since a moment not later than the grant, on this JVM's monotonic clock
 * @param lease how long the server holds it from then, in nanoseconds
 * @param heirs queued waiters of this client to whom the lock may be passed, in order
 * @param repeated whether a command of the same attempt was never answered, and may run late
 */
record Granting(
    HoldId id,
    long token,
    int tokens,
    long since,
    long lease,
    List<HoldId> heirs,
    BooleanSupplier repeated) {

  /** The answer to an attempt of the waiter. */
  static Granting answered(Waiter waiter, AttemptResult.Granted granted, long sentAt) {
    return new Granting(
        waiter.id(),
        granted.fencingToken(),
        granted.tokens(),
        sentAt,
        waiter.grantee().lease(),
        List.of(),
        waiter::isOutcomeUnknown);
  }

  /** What somebody's release granted to the waiter. */
  static Granting told(Waiter waiter, Grant grant, long since) {
    return new Granting(
        grant.id(),
        grant.fencingToken(),
        grant.tokens(),
        since,
        Math.min(Validity.nanos(grant.lease()), waiter.grantee().lease()),
        grant.heirs(),
        waiter::isOutcomeUnknown);
  }

  boolean isOver() {
    return System.nanoTime() - Validity.until(since, lease) >= 0;
  }
}
