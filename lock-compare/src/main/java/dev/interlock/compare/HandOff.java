package dev.interlock.compare;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a lock takes from its releaser to the client that waits for it. Both clients
 * are in this JVM, so that one clock tells both moments and no process has to be woken.
 */
final class HandOff implements Measurement {
  private static final int WARM_UP = 50;
  private static final int[] PERCENTILES = {10, 25, 50, 75, 90, 95, 99};
  private static final LockRequest REQUEST =
      LockRequest.of("compare-hand-off").withWait(Duration.ofSeconds(30));

  private record Held(Lease lease, long acquiredAt) {}

  @Override
  public String title() {
    return "hand-off";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.HAND_OFF_P50, Measure.HAND_OFF_P99);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    Waiting[] waiting = {new Waiting(), new Waiting()};
    ExecutorService waiter = Executors.newSingleThreadExecutor();
    try (LockClient one = waiting[0].open(backend.uri());
        LockClient other = waiting[1].open(backend.uri())) {
      long[] micros =
          measure(new LockClient[] {one, other}, waiting, waiter, effort.of(500, 2000, 10_000));
      Arrays.sort(micros);
      into.put(Measure.HAND_OFF_P50, (double) micros[micros.length / 2]);
      into.put(Measure.HAND_OFF_P99, (double) micros[micros.length * 99 / 100]);
      into.put(Curve.HAND_OFF, distribution(micros));
    } finally {
      waiter.shutdownNow();
    }
  }

  /** Nearest rank, of sorted values; microseconds that were rounded to none count as one. */
  static List<Figures.Point> distribution(long[] sorted) {
    List<Figures.Point> points = new ArrayList<>();
    points.add(new Figures.Point("min", Math.max(1, sorted[0])));
    for (int percent : PERCENTILES) {
      long value = sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
      points.add(new Figures.Point("p" + percent, Math.max(1, value)));
    }
    points.add(new Figures.Point("max", Math.max(1, sorted[sorted.length - 1])));
    return points;
  }

  private static long[] measure(
      LockClient[] clients, Waiting[] waiting, ExecutorService waiter, int rounds)
      throws Exception {
    long[] micros = new long[rounds];
    Lease lease = clients[0].acquire(REQUEST);
    for (int round = -WARM_UP; round < rounds; round++) {
      int next = Math.floorMod(round + WARM_UP + 1, 2);
      Future<Held> acquire =
          waiter.submit(() -> new Held(clients[next].acquire(REQUEST), System.nanoTime()));
      waiting[next].await();
      long releasedAt = System.nanoTime();
      lease.release();
      Held held = acquire.get();
      if (round >= 0) {
        micros[round] = TimeUnit.NANOSECONDS.toMicros(held.acquiredAt() - releasedAt);
      }
      lease = held.lease();
    }
    lease.release();
    return micros;
  }
}
