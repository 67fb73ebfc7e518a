package dev.interlock.tck.teststore;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Counters of tokens, one for each name, of which those go that have not been used lately. */
final class SweptCounters {
  private static final long KEPT = TimeUnit.SECONDS.toNanos(5);

  private record Counter(long last, long usedAt) {}

  private final Map<String, Counter> counters = new HashMap<>();

  /** Draws so many, and returns the first. */
  long draw(String name, int tokens) {
    long now = System.nanoTime();
    Counter counter = counters.get(name);
    boolean kept = counter != null && now - counter.usedAt() < KEPT;
    long first = kept ? counter.last() + 1 : 1;
    counters.put(name, new Counter(first + tokens - 1, now));
    return first;
  }

  void raise(String name, long last) {
    counters.put(name, new Counter(last, System.nanoTime()));
  }
}
