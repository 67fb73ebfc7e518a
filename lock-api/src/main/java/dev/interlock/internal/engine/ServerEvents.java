package dev.interlock.internal.engine;

import dev.interlock.LostReason;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.MustNotBlock;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;

/** What the backend tells without being asked, taken to those whom it concerns. */
final class ServerEvents implements BackendEvents {
  private final BackendCalls calls;
  private final Contention contention;
  private final LocalQueues queues;
  private final Holds holds;

  ServerEvents(BackendCalls calls, Contention contention, LocalQueues queues, Holds holds) {
    this.calls = calls;
    this.contention = contention;
    this.queues = queues;
    this.holds = holds;
  }

  @Override
  public void granted(Grant grant, long notBeforeNanos) {
    MustNotBlock.run(() -> take(grant, notBeforeNanos));
  }

  private void take(Grant grant, long notBeforeNanos) {
    Waiter waiter = contention.waiting(grant.id());
    calls.enter();
    try {
      if (waiter != null) {
        contention.granted(waiter, grant, notBeforeNanos);
      } else {
        // It has left, and its abandonment is on the way, or it was passed what it waited for.
        contention.serverQueue().grantedAgain(grant);
      }
    } finally {
      calls.exit();
    }
  }

  @Override
  public void wake(String name, HoldId id) {
    Waiter waiter = contention.waiting(id);
    if (waiter != null) {
      waiter.mustConfirm();
      waiter.signal();
    }
    queues.signalHead(name);
  }

  @Override
  public void revoked(String name, HoldId id) {
    MustNotBlock.run(() -> holds.revoked(id, LostReason.FORCED));
  }

  @Override
  public void inDoubt() {
    contention.waiting().forEach(contention.serverQueue()::check);
    holds.inDoubt();
  }
}
