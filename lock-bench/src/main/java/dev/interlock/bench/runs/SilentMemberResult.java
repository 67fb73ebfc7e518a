package dev.interlock.bench.runs;

/**
 * What a quorum does once one of its servers does not answer any more.
 *
 * @param before sections a second while all servers answer
 * @param firstSecond the same in the first second after the server fell silent
 * @param after the same from then on
 */
public record SilentMemberResult(
    String id, String label, double before, double firstSecond, double after) {

  /** What is left of the throughput. */
  public double left() {
    return after / before;
  }
}
