package dev.interlock.internal.engine;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a wait that ended without the lock is told. */
final class WaitErrors {
  private final LocalQueues queues;
  private final Holds holds;

  WaitErrors(LocalQueues queues, Holds holds) {
    this.queues = queues;
    this.holds = holds;
  }

  static BackendUnavailableException unknown(Waiter waiter, LockException fault) {
    return new BackendUnavailableException(
        "lock '%s': whether it is still held is not known: %s"
            .formatted(waiter.name(), fault.getMessage()),
        fault);
  }

  static OutcomeUnknownException notTaken(Waiter waiter, Throwable error) {
    return new OutcomeUnknownException(
        "lock '%s': the grant could not be taken: %s".formatted(waiter.name(), error), error);
  }

  /** Those for whom the first has asked in vain: each would begin anew to be patient. */
  List<Waiter> outOfPatienceWith(Waiter first) {
    List<Waiter> others = queues.waiters(first.name());
    others.removeIf(other -> other.grantee().asksItself()
        || !other.isOutOfPatience()
        || other.hasHeardSinceFaultOf(first));
    return others;
  }

  /**
   * What to throw when a wait is over: "held by another" only if that is what the server said last.
   */
  LockException timeout(Waiter waiter) {
    return timeout(waiter, waiter.isAsking());
  }

  LockException timeout(Waiter waiter, boolean asking) {
    LockException own = waiter.fault();
    if (own != null) {
      return own;
    }
    if (asking) {
      return new OutcomeUnknownException(
          "lock '%s': there was no answer within %s; what the attempt may do yet is undone"
              .formatted(waiter.name(), Duration.ofNanos(waiter.waited())));
    }
    if (waiter.isLate()) {
      return notAsked(waiter);
    }
    LockException fault = faultOfHead(waiter);
    if (fault != null) {
      return unknown(waiter, fault);
    }
    return new LockTimeoutException("lock '%s' was still held by another after %s"
        .formatted(waiter.name(), Duration.ofNanos(waiter.waited())));
  }

  /** What keeps the first waiter of this client, who asks for all, from hearing of the lock. */
  private @Nullable LockException faultOfHead(Waiter waiter) {
    Waiter head = queues.head(waiter.name());
    if (head == null || waiter.grantee().asksItself() || holds.isHeldHere(waiter.name())) {
      return null;
    }
    if (head.isLate()) {
      return notAsked(head);
    }
    return waiter.hasHeardSinceFaultOf(head) ? null : head.fault();
  }

  private static BackendUnavailableException notAsked(Waiter waiter) {
    return new BackendUnavailableException(
        "lock '%s': not asked for in time: the client's threads are busy, or wait for the server"
            .formatted(waiter.name()));
  }
}
