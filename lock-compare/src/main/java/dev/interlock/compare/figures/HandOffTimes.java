package dev.interlock.compare.figures;

import dev.interlock.LockRequest;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.HandOff;
import dev.interlock.measure.HoldTimes;
import dev.interlock.measure.Latency;
import dev.interlock.measure.SectionClient;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/** Measures how long a lock takes from its releaser to the client that waits for it. */
final class HandOffTimes implements Measurement {
  private static final int WARM_UP = 20;
  private static final Duration KEPT_IN_WARM_UP = Duration.ofMillis(1);
  private static final int[] PERCENTILES = {10, 25, 50, 75, 90, 95, 99};

  /** So many values lie beyond a percentile that is told, if that is above the ninetieth. */
  private static final int BEYOND = 10;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
  private static final String NAME = "compare-hand-off";

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
    int rounds = effort.of(25, 200, 1000);
    Histogram nanos = measure(backend.uri(), rounds);
    Latency latency = Latency.of(nanos);
    into.put(Measure.HAND_OFF_P50, latency.p50Micros(), rounds + " hand-offs");
    if (Latency.tellsP99(rounds)) {
      into.put(Measure.HAND_OFF_P99, latency.p99Micros());
    } else {
      into.none(rounds + " hand-offs are too few to tell it", Measure.HAND_OFF_P99);
    }
    into.put(Curve.HAND_OFF, distribution(nanos));
  }

  private static Histogram measure(String uri, int rounds) throws InterruptedException {
    Waiting oneWaits = new Waiting();
    Waiting otherWaits = new Waiting();
    AtomicReference<Duration> kept = new AtomicReference<>(KEPT_IN_WARM_UP);
    try (SectionClient one = oneWaits.sections(uri, HandOffTimes::asking);
        SectionClient other = otherWaits.sections(uri, HandOffTimes::asking);
        HandOff there = between(one, other, () -> otherWaits.keepWaiting(kept.get()));
        HandOff back = between(other, one, () -> oneWaits.keepWaiting(kept.get()))) {
      Histogram nanos = new Histogram(3);
      HoldTimes times = new HoldTimes();
      for (int round = -WARM_UP; round < rounds; round++) {
        oneWaits.reset();
        otherWaits.reset();
        if (round >= 0) {
          kept.set(times.next());
        }
        long took = (round % 2 == 0 ? there : back).run();
        if (round >= 0) {
          nanos.recordValue(took);
        }
      }
      return nanos;
    }
  }

  private static LockRequest asking(LockRequest request) {
    return request.withWait(LONGEST_WAIT);
  }

  private static HandOff between(
      SectionClient holder, SectionClient waiter, HandOff.UntilItWaits kept) {
    return new HandOff(holder.lock(NAME), waiter.lock(NAME), kept, LONGEST_WAIT);
  }

  private static List<Figures.Point> distribution(Histogram nanos) {
    List<Figures.Point> points = new ArrayList<>();
    points.add(new Figures.Point("min", nanos.getMinValue() / 1e3));
    for (int percent : PERCENTILES) {
      if (percent > 90 && nanos.getTotalCount() * (100 - percent) < 100L * BEYOND) {
        continue;
      }
      points.add(new Figures.Point("p" + percent, nanos.getValueAtPercentile(percent) / 1e3));
    }
    points.add(new Figures.Point("max", nanos.getMaxValue() / 1e3));
    return points;
  }
}
