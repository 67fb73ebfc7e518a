package dev.interlock.quorum.internal.election;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks for which nobody was in this client's way the last time. Only to choose the shorter way
 * to a grant: a name that is missing costs a round trip, and one too many a few votes that are
 * given back. Thread-safe.
 */
final class Calm {
  private static final int MOST = 10_000;

  private final Set<String> names = ConcurrentHashMap.newKeySet();

  boolean isCalm(String name) {
    return names.contains(name);
  }

  /** All members that were asked have granted it at once, to an attempt that had not waited. */
  void free(String name) {
    if (names.size() >= MOST) {
      names.clear();
    }
    names.add(name);
  }

  /** Somebody else has it, or waits for it. */
  void contended(String name) {
    names.remove(name);
  }
}
