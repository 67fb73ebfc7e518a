package dev.interlock.compare.figures;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.List;

/** A way to get some of the figures. */
public interface Measurement {
  /** All of them, in the order in which they run. */
  List<Measurement> ALL = List.of(
      new RoundTrips(),
      new HandOffTimes(),
      new Crowd(),
      new HeldTogether(),
      new Recovery(),
      new Leftovers());

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
