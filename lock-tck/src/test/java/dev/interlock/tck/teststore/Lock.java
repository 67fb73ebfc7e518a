package dev.interlock.tck.teststore;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock that is held or waited for in the {@link Store}. Not thread-safe. */
final class Lock {
  /** How a hold ended. */
  enum End {
    NONE,
    EXPIRED,
    FORCED
  }

  @Nullable
  Held held;
  // Further holds of the holder's shared owner, by attempt.
  final Map<String, Held> beside = new LinkedHashMap<>();
  // Attempt and client of those who want to be woken.
  final Map<String, String> waiters = new LinkedHashMap<>();
  final FairQueue queue;
  // How the last hold ended, and the token of one that expired: for faults that depend on it.
  End end = End.NONE;
  long expiredToken;

  private final Fault fault;

  Lock(Fault fault) {
    this.fault = fault;
    queue = new FairQueue(fault);
  }

  @Nullable
  Held holdOf(String id) {
    Held first = held;
    return first != null && first.request.id().equals(id) ? first : beside.get(id);
  }

  boolean mayEnterBeside(Wire.Request request) {
    Held first = held;
    return first != null
        && first.request.shared()
        && request.shared()
        && first.request.owner().equals(request.owner())
        && (fault != Fault.OWNER_BEHIND_QUEUE || !isAwaited());
  }

  void expire(long now) {
    beside.values().removeIf(hold -> hold.expiresAt - now <= 0);
    if (held != null && held.expiresAt - now <= 0) {
      end = End.EXPIRED;
      expiredToken = held.token;
      leave();
    }
  }

  /** Ends the first hold; another one of its owner takes its place. */
  void leave() {
    Iterator<Held> others = beside.values().iterator();
    held = others.hasNext() ? others.next() : null;
    if (held != null) {
      others.remove();
    }
  }

  boolean isAwaited() {
    return !waiters.isEmpty() || !queue.isEmpty();
  }
}
