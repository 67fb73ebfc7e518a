package dev.interlock.quorum;

import dev.interlock.tck.internal.history.HistoryChecker;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.history.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the contenders tell, and the judgement on it. Their times are readings of one clock, that of
 * the host. Thread-safe.
 */
final class Contest {
  /** What rule W4 of SPEC.md allows beyond the limit of a call while servers are silent. */
  static final Duration BOUND = Duration.ofSeconds(8);

  /** Longer than a hold can be under way without being told, by far. */
  private static final long KEPT = Duration.ofMinutes(1).toNanos();

  private final List<Hold> holds = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  /** When the valid holds of each name were granted, all of them. */
  private final Map<String, Set<Long>> grants = new TreeMap<>();

  private long count;
  private long slowest;
  private String slowestCall = "";

  synchronized void add(Hold hold) {
    holds.add(hold);
    if (hold.until() - hold.acquired() > 0) {
      grants.computeIfAbsent(hold.name(), any -> new TreeSet<>()).add(hold.acquired());
    }
    count++;
  }

  synchronized void addSlow(long overMillis, String line) {
    if (overMillis > slowest) {
      slowest = overMillis;
      slowestCall = line;
    }
    if (overMillis > BOUND.toMillis()) {
      complaints.add("longer than limit and bound: " + line);
    }
  }

  synchronized void addWrong(String line) {
    complaints.add(line);
  }

  /** How many holds of a name began after a moment, and before they ended were valid. */
  long begunSince(String name, long moment) {
    return begun(hold -> hold.name().equals(name), moment);
  }

  /** The same of the holds of one contender. */
  long begunBy(String label, long moment) {
    return begun(hold -> hold.owner().startsWith(label + "-"), moment);
  }

  private synchronized long begun(Predicate<Hold> which, long moment) {
    return holds.stream()
        .filter(hold ->
            which.test(hold) && hold.acquired() - moment > 0 && hold.until() - hold.acquired() > 0)
        .count();
  }

  /** What was against the rules up to now; empty if nothing was. */
  synchronized List<String> judge() {
    List<String> found = new ArrayList<>(complaints);
    Stream.of(HistoryChecker.overlap(holds), HistoryChecker.tokenOrder(holds))
        .flatMap(violation -> violation.map(Violation::lines).stream())
        .forEach(found::addAll);
    long old = System.nanoTime() - KEPT;
    holds.removeIf(hold -> hold.end() - old < 0);
    return found;
  }

  synchronized String summary() {
    return "%d holds, the slowest call took %d ms more than its limit: %s; the longest time without a grant of a lock was %d ms"
        .formatted(count, slowest, slowestCall, longestGap().toMillis());
  }

  /** From one grant to the next of the same name; a hold may take one lease and a half of it. */
  private Duration longestGap() {
    long longest = 0;
    for (Set<Long> times : grants.values()) {
      long before = times.iterator().next();
      for (long time : times) {
        longest = Math.max(longest, time - before);
        before = time;
      }
    }
    return Duration.ofNanos(longest);
  }
}
