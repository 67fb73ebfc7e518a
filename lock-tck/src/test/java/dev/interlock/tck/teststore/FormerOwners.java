package dev.interlock.tck.teststore;

import java.util.HashMap;
import java.util.Map;

/** Which named owner had a lock by which attempt, or token, for faults. Not thread-safe. */
final class FormerOwners {
  private final Fault fault;
  private final Map<String, String> byAttempt = new HashMap<>();
  private final Map<Long, String> byToken = new HashMap<>();

  FormerOwners(Fault fault) {
    this.fault = fault;
  }

  void granted(Held hold) {
    if (!hold.request.shared()) {
      return;
    }
    if (fault == Fault.RELEASE_COMPARES_OWNERS) {
      byAttempt.put(hold.request.id(), hold.request.owner());
    } else if (fault == Fault.FORCE_COMPARES_OWNERS) {
      byToken.put(hold.token, hold.request.owner());
    }
  }

  /** Whether a hold is of the owner that had a lock by an attempt. */
  boolean hadByAttempt(String id, Held hold) {
    return hold.request.shared() && hold.request.owner().equals(byAttempt.get(id));
  }

  /** The same by a token. */
  boolean hadByToken(long token, Held hold) {
    return hold.request.shared() && hold.request.owner().equals(byToken.get(token));
  }
}
