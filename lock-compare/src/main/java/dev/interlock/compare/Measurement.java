package dev.interlock.compare;

import dev.interlock.tck.Effort;
import java.util.List;

/** A way to get some of the figures. */
interface Measurement {
  /** All of them, in the order in which they run. */
  List<Measurement> ALL =
      List.of(new RoundTrips(), new HandOff(), new Crowd(), new Recovery(), new Leftovers());

  /** What goes on, for the line of progress. */
  String title();

  /** What it measures. */
  List<Measure> measures();

  /**
   * Measures. Blocks for as long as it takes, a minute at most.
   *
   * @throws Exception if a figure cannot be taken
   */
  void take(Backend backend, Effort effort, Figures into) throws Exception;
}
