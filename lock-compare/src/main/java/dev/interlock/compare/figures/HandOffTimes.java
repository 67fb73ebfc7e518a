package dev.interlock.compare.figures;

import dev.interlock.LockRequest;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.HandOff;
import dev.interlock.measure.Latency;
import dev.interlock.measure.SectionClient;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Measures how long a lock takes from its releaser to the client that waits for it. */
final class HandOffTimes implements Measurement {
  private static final int WARM_UP = 50;
  private static final int[] PERCENTILES = {10, 25, 50, 75, 90, 95, 99};
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
    Waiting oneWaits = new Waiting();
    Waiting otherWaits = new Waiting();
    try (SectionClient one = oneWaits.sections(backend.uri(), HandOffTimes::asking);
        SectionClient other = otherWaits.sections(backend.uri(), HandOffTimes::asking);
        HandOff there = between(one, other, otherWaits);
        HandOff back = between(other, one, oneWaits)) {
      Histogram nanos = new Histogram(3);
      int rounds = effort.of(500, 2000, 10_000);
      for (int round = -WARM_UP; round < rounds; round++) {
        oneWaits.reset();
        otherWaits.reset();
        long took = (round % 2 == 0 ? there : back).run();
        if (round >= 0) {
          nanos.recordValue(took);
        }
      }
      Latency latency = Latency.of(nanos);
      into.put(Measure.HAND_OFF_P50, latency.p50Micros());
      into.put(Measure.HAND_OFF_P99, latency.p99Micros());
      into.put(Curve.HAND_OFF, distribution(nanos));
    }
  }

  private static LockRequest asking(LockRequest request) {
    return request.withWait(LONGEST_WAIT);
  }

  private static HandOff between(SectionClient holder, SectionClient waiter, Waiting waiting) {
    return new HandOff(holder.lock(NAME), waiter.lock(NAME), waiting::await, LONGEST_WAIT);
  }

  private static List<Figures.Point> distribution(Histogram nanos) {
    List<Figures.Point> points = new ArrayList<>();
    points.add(new Figures.Point("min", nanos.getMinValue() / 1e3));
    for (int percent : PERCENTILES) {
      points.add(new Figures.Point("p" + percent, nanos.getValueAtPercentile(percent) / 1e3));
    }
    points.add(new Figures.Point("max", nanos.getMaxValue() / 1e3));
    return points;
  }
}
