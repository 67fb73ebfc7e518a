package dev.interlock.internal.engine;

import dev.interlock.spi.HoldId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds that were taken away before this client knew of them: a forced release met the lock while
 * the answer that grants it was on its way. Such a hold is looked at once its grant is here. It is
 * not lost unseen, for the attempt may have been repeated and granted anew.
 */
final class EarlyRevocations {
  // Most are of holds that have just ended here, and no grant ever asks for them.
  private static final int MOST = 256;

  private final Set<HoldId> ids = ConcurrentHashMap.newKeySet();

  /** Remembers a hold which nobody here knows. Forgetting it costs time until its next renewal. */
  void add(HoldId id) {
    if (ids.size() >= MOST) {
      ids.clear();
    }
    ids.add(id);
  }

  /** Tells whether a hold that has just come about was taken away before; only once. */
  boolean remove(HoldId id) {
    return !ids.isEmpty() && ids.remove(id);
  }
}
