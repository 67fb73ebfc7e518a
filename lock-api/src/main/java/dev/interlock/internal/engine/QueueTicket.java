package dev.interlock.internal.engine;

import dev.interlock.LockException;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.Renewals;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;

/**
 * Keeps a waiter's entry in the server's queue alive, in batches, and asks whether it was granted.
 */
final class QueueTicket extends Agenda.Item implements Renewals.Item {
  private final Waiter waiter;
  private final ServerQueue queue;

  QueueTicket(Waiter waiter, ServerQueue queue) {
    this.waiter = waiter;
    this.queue = queue;
  }

  @Override
  public String name() {
    return waiter.name();
  }

  @Override
  public HoldId id() {
    return waiter.id();
  }

  @Override
  public long needs() {
    return waiter.grantee().lease();
  }

  @Override
  public boolean isQueued() {
    return true;
  }

  @Override
  public boolean hasFailed() {
    return waiter.hasFault();
  }

  @Override
  public void due() {
    queue.refresh(waiter);
  }

  @Override
  public void renewed(RenewalResult result, long sentAt, long askedFor) {
    queue.refreshed(waiter, result, sentAt);
  }

  @Override
  public void renewalFailed(LockException error) {
    queue.refreshFailed(waiter, error);
  }
}
