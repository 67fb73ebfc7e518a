package dev.interlock.tck.internal.run;

import dev.interlock.Lease;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Until when the locks of a test are held for certain: for as long as their leases, from before
 * they were asked for. On a slow machine a lease may be over before the test looks whether it keeps
 * others out, and then it rightly does not. Thread-safe.
 */
final class Holdings {
  private static final int MOST_LOCKS = 1_000;
  private static final int MOST_OF_A_LOCK = 16;
  private static final Duration LONGEST = Duration.ofDays(10_000);

  /** What is known of a lease at a moment. */
  private enum State {
    RUNS,
    HAS_RUN_OUT,
    UNKNOWN
  }

  /**
   * A lease that was granted.
   *
   * @param key what its release tells of
   * @param end before which it does not end by itself, by {@link System#nanoTime()}
   * @param renewed if it is renewed, itself: only it knows how long it lasts
   */
  private record Holding(Object key, long end, @Nullable Lease renewed) {
    State at(long moment) {
      if (end - moment > 0) {
        return State.RUNS;
      }
      return renewed == null ? State.HAS_RUN_OUT : now(renewed);
    }

    /** One that is valid no more may be so because it was not renewed, which is a fault. */
    private static State now(Lease renewed) {
      try {
        return renewed.isValid() ? State.RUNS : State.UNKNOWN;
      } catch (NotOfferedException e) {
        return State.UNKNOWN;
      }
    }
  }

  /** The leases on a lock at a moment, of which those that come later are not. */
  static final class Seen {
    private final List<Holding> holdings;

    private Seen(List<Holding> holdings) {
      this.holdings = holdings;
    }

    /**
     * Tells whether all leases still run at a moment, by their holders' own clock. One that was
     * prolonged does for the longer of its times.
     */
    boolean runAt(long moment) {
      return !holdings.isEmpty()
          && holdings.stream()
              .allMatch(each -> holdings.stream()
                  .anyMatch(longer ->
                      longer.key().equals(each.key()) && longer.at(moment) == State.RUNS));
    }

    /** Tells whether all leases had run out at a moment. */
    boolean haveRunOutAt(long moment) {
      return !holdings.isEmpty()
          && holdings.stream().allMatch(each -> each.at(moment) == State.HAS_RUN_OUT);
    }
  }

  private final Map<String, Deque<Holding>> byLock = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Deque<Holding>> eldest) {
      return size() > MOST_LOCKS;
    }
  };

  /** Forgets all, for another test begins. */
  synchronized void restart() {
    byLock.clear();
  }

  /**
   * Notes a lease that was granted, or is about to be.
   *
   * @param key what its release tells of
   * @param called when it was asked for, or earlier
   */
  void add(String lock, Object key, long called, Duration lease) {
    add(lock, new Holding(key, end(called, lease), null));
  }

  /** Notes a lease that is renewed. */
  void addRenewed(String lock, Object key, long called, Optional<Duration> lease, Lease renewed) {
    add(lock, new Holding(key, lease.map(asked -> end(called, asked)).orElse(called), renewed));
  }

  /** Notes a lease, unless there is one with this key: a repetition need not make it longer. */
  synchronized void addOnce(String lock, Object key, long called, Duration lease) {
    Deque<Holding> holdings = byLock.get(lock);
    if (holdings == null || holdings.stream().noneMatch(each -> each.key().equals(key))) {
      add(lock, key, called, lease);
    }
  }

  /** Notes that a lease is about to be given back. */
  synchronized void remove(String lock, Object key) {
    Deque<Holding> holdings = byLock.get(lock);
    if (holdings != null) {
      holdings.removeIf(each -> each.key().equals(key));
    }
  }

  /** Returns the leases that are known up to now. */
  synchronized Seen seen(String lock) {
    Deque<Holding> holdings = byLock.get(lock);
    return new Seen(holdings == null ? List.of() : new ArrayList<>(holdings));
  }

  /** Returns those of one key. */
  synchronized Seen seen(String lock, Object key) {
    Deque<Holding> holdings = byLock.get(lock);
    return new Seen(
        holdings == null
            ? List.of()
            : holdings.stream().filter(each -> each.key().equals(key)).toList());
  }

  private synchronized void add(String lock, Holding holding) {
    Deque<Holding> holdings = byLock.computeIfAbsent(lock, unused -> new ArrayDeque<>());
    holdings.addLast(holding);
    if (holdings.size() > MOST_OF_A_LOCK) {
      holdings.removeFirst();
    }
  }

  private static long end(long called, Duration lease) {
    return called + (lease.compareTo(LONGEST) < 0 ? lease : LONGEST).toNanos();
  }
}
