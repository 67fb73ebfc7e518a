package dev.interlock.internal.engine;

import dev.interlock.spi.HoldId;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Chooses to whom a client passes a lock that it holds without asking the server: first the heirs
 * that the server named, in its queue's order, then the first waiter that allows barging.
 */
final class Passing {
  private final LocalQueues queues;
  private final Function<HoldId, @Nullable Waiter> waiting;

  Passing(LocalQueues queues, Function<HoldId, @Nullable Waiter> waiting) {
    this.queues = queues;
    this.waiting = waiting;
  }

  /** Claims the next holder, after the last exit of this one; null if the server must choose. */
  @Nullable
  Waiter claimNext(Hold from) {
    Heirs heirs = from.remote().heirs();
    for (HoldId id = heirs.peek(); id != null; id = heirs.peek()) {
      Waiter heir = waiting.apply(id);
      if (heir != null) {
        // One that may have a second entry in the queue is left to the server, and who follows too.
        if (heir.isOutcomeUnknown() || !from.remote().canPass(from, heir.grantee())) {
          return null;
        }
        if (heir.claim(from.remote().id())) {
          heirs.passed();
          return heir;
        }
      }
      heirs.skip(); // it has left the queue, or is just leaving
    }
    return claimBarging(from);
  }

  private @Nullable Waiter claimBarging(Hold from) {
    Waiter head = from.grantee().isBarging() ? queues.head(from.name()) : null;
    while (head != null && from.remote().canPass(from, head.grantee())) {
      if (head.claim(from.remote().id())) {
        return head;
      }
      queues.leave(head); // it is just leaving by itself
      head = queues.head(from.name());
    }
    return null;
  }
}
