package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a lock showed that is held in parts.
 *
 * @param scenario which one
 * @param description the scenario for people
 * @param sectionsPerSecond the median of the rounds; 0 if there is none
 * @param rounds sections a second in each round
 * @param ways how long acquiring took, for each way to hold the lock
 * @param toPeer sections a second as a ratio to the peer's, round by round; null without a peer
 * @param worstToPeer the worst wait of the last way as a ratio to the peer's: less is better; null
 *     without a peer
 * @param excesses how often more was held than there is
 * @param hangs how threads came to wait without end, which ended the rounds; null if none did
 */
public record CountedResult(
    String scenario,
    String description,
    String id,
    String label,
    Subject.Kind kind,
    String library,
    double sectionsPerSecond,
    List<Double> rounds,
    List<Way> ways,
    Statistics.@Nullable Ratio toPeer,
    @Nullable Double worstToPeer,
    long excesses,
    @Nullable String hangs) {

  /**
   * How long acquiring took, as far as it came to an end.
   *
   * @param name the way to hold the lock
   */
  public record Way(String name, Latency acquire) {}

  /** How long acquiring took in the way that has to wait for all others, such as a writer's. */
  public Latency hardest() {
    return ways.get(ways.size() - 1).acquire();
  }

  /** A peer that hung has rounds only up to then, and no worst wait. */
  CountedResult beside(CountedResult peer) {
    int both = Math.min(rounds.size(), peer.rounds.size());
    return new CountedResult(
        scenario,
        description,
        id,
        label,
        kind,
        library,
        sectionsPerSecond,
        rounds,
        ways,
        both == 0 ? null : Statistics.ratio(first(both, rounds), first(both, peer.rounds)),
        peer.hangs == null ? hardest().worstMillis() / peer.hardest().worstMillis() : null,
        excesses,
        hangs);
  }

  private static double[] first(int count, List<Double> values) {
    return values.stream().limit(count).mapToDouble(Double::doubleValue).toArray();
  }
}
