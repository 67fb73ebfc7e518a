package dev.interlock.tck.internal.run;

import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when this JVM stood still: starved of its processor, stopped, or collecting garbage. A
 * lease that ran out in such a time was lost rightly, so a test on timing says nothing then.
 */
final class StallMeter {
  private static final Duration TICK = Duration.ofMillis(20);

  // A loss is told over three or four threads one after the other, each of which may be late.
  private static final Duration WORTH_NOTING = Duration.ofMillis(100);
  private static final int KEPT = 1_000;
  private static final StallMeter INSTANCE = new StallMeter();

  // The length of each stall by its end, in nanoseconds.
  private final ConcurrentSkipListMap<Long, Long> stalls = new ConcurrentSkipListMap<>();

  private StallMeter() {
    Thread thread = new Thread(this::watch, "tck-stalls");
    thread.setDaemon(true);
    thread.start();
  }

  static StallMeter instance() {
    return INSTANCE;
  }

  /** Returns the longest stall that ended after this moment; zero if there was none. */
  Duration longestSince(long nanoTime) {
    return Duration.ofNanos(stalls.tailMap(nanoTime).values().stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0));
  }

  private void watch() {
    long before = System.nanoTime();
    while (true) {
      LockSupport.parkNanos(TICK.toNanos());
      long now = System.nanoTime();
      if (now - before > WORTH_NOTING.toNanos()) {
        stalls.put(now, now - before);
        if (stalls.size() > KEPT) {
          stalls.pollFirstEntry();
        }
      }
      before = now;
    }
  }
}
