package dev.interlock.tck.teststore;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock that is held or waited for in the {@link Store}. Not thread-safe. */
final class Lock {
  @Nullable
  Held held;
  // Attempt and client of those who want to be woken.
  final Map<String, String> waiters = new LinkedHashMap<>();
  final FairQueue queue;

  Lock(Fault fault) {
    queue = new FairQueue(fault);
  }

  boolean isAwaited() {
    return !waiters.isEmpty() || !queue.isEmpty();
  }
}
