package dev.interlock.tck.internal.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What stood still lately, of this JVM, the worker JVMs and the server. A lease that ran out in
 * such a time was lost rightly, so a test on timing says nothing then. Thread-safe.
 */
public final class Stalls {
  /** A loss is told over three or four threads one after the other, each of which may be late. */
  public static final Duration WORTH_NOTING = Duration.ofMillis(100);

  private static final int KEPT = 1_000;
  private static final Stalls INSTANCE = new Stalls();

  private final Deque<Stall> stalls = new ArrayDeque<>();

  private Stalls() {
    HeartBeat.start("this JVM", this::add);
  }

  /** Returns those of this process, which begins to watch itself at the first call. */
  public static Stalls instance() {
    return INSTANCE;
  }

  /** Notes one, which takes the place of what was said of it before while it lasts. */
  public synchronized void add(Stall stall) {
    Stall last = stalls.peekLast();
    if (last != null && last.what().equals(stall.what()) && last.begin() == stall.begin()) {
      stalls.removeLast();
    }
    stalls.addLast(stall);
    if (stalls.size() > KEPT) {
      stalls.removeFirst();
    }
  }

  /** Returns the longest of these that ended after a moment. */
  public synchronized Optional<Stall> longestSince(long nanoTime, Predicate<Stall> which) {
    return stalls.stream()
        .filter(stall -> stall.end() - nanoTime > 0)
        .filter(which)
        .max(Comparator.comparingLong(Stall::nanos));
  }
}
