package dev.interlock.compare.figures;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.List;

/** One figure, and one that has no meaning. */
public final class FixedMeasurement implements Measurement {

  @Override
  public String title() {
    return "fixed";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.HAND_OFF_P50, Measure.RECOVERY);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) {
    into.put(Measure.HAND_OFF_P50, 123.4);
    into.none("no meaning here", Measure.RECOVERY);
  }
}
